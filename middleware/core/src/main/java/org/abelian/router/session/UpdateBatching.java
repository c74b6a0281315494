package org.abelian.router.session;

import java.util.List;
import java.util.regex.Pattern;
import org.abelian.router.analysis.CombinedFacts;
import org.abelian.router.batching.AmountReader;
import org.abelian.router.batching.Amounts;
import org.abelian.router.batching.BatchKey;
import org.abelian.router.batching.Result;
import org.abelian.router.execution.FixedMessage;
import org.abelian.router.routing.BoundValues;

/**
 * A session's part in batching updates: whether its statement may be run together with others', and
 * running one statement for all when it is the session's turn.
 */
final class UpdateBatching {
  /** What a statement's turn has brought. */
  record Turn(Kind kind, long rows) {
    /** The kinds of turns. */
    enum Kind {
      /** It is to go as its client wrote it. */
      ALONE,
      /** What stands before it is to be answered first. */
      WAIT,
      /** It is committed. */
      DONE
    }

    private static final Turn GOES_ALONE = new Turn(Kind.ALONE, 0);
    private static final Turn WAITS = new Turn(Kind.WAIT, 0);
  }

  /** The name of the setting. */
  private static final String SETTING = "abelian.combine";

  private static final Pattern OFF =
      Pattern.compile(
          "(?is).*abelian\\.combine\"?\\s*(?:=|\\bto\\b)\\s*'?(?:off?|f|fa|fal|fals|false|n|no|0)\\b.*");

  private static final FixedMessage ONE_ROW = FixedMessage.tag("UPDATE 1");

  private final Session session;
  private final BatchSlot slot;
  private SettingsSnapshot scopeSettings;
  private int scopeTimeout;
  private String scope;
  private boolean enabled;

  UpdateBatching(Session session) {
    this.session = session;
    slot = session.batchSlot();
  }

  /** The tag of an update. */
  static FixedMessage tag(long rows) {
    return rows == 1 ? ONE_ROW : FixedMessage.tag("UPDATE " + rows);
  }

  /** True when the statement, run as the whole of a transaction, may be run with others'. */
  boolean applies(RoutedStatement routed, Link link) {
    return routed.facts().combined() != null
        && !session.transaction().isOpen()
        && scope(List.of(link)) != null;
  }

  /**
   * Equal for sessions that may share what they run over links to the same nodes; null when this
   * one shares nothing.
   */
  String scope(List<Link> links) {
    boolean own =
        links.stream().anyMatch(link -> link.pinned)
            || !session.links().touched().isEmpty()
            || session.runner().seesForItself();
    if (own) {
      return null;
    }
    look();
    return enabled ? scope : null;
  }

  /** Sessions share statements only if nothing tells them apart that the node knows of. */
  private void look() {
    SettingsSnapshot now = session.settings().snapshot();
    int timeout = session.plan().timeout();
    if (now == scopeSettings && timeout == scopeTimeout) {
      return;
    }
    scope =
        String.join(
                "\0",
                String.valueOf(timeout),
                String.valueOf(now.placementVersion()),
                now.wanted().toString())
            .intern();
    enabled = !isOff();
    scopeSettings = now;
    scopeTimeout = timeout;
  }

  private boolean isOff() {
    return session.says(SETTING, "off");
  }

  /**
   * Runs the statement with others' if it meets any.
   *
   * @throws RuntimeException the client's error
   */
  Turn run(RoutedStatement routed, Link link, BoundValues values) {
    slot.endGroup();
    CombinedFacts facts = routed.facts().combined();
    if (values.count() + facts.operands().size() != facts.parameters().size()) {
      return Turn.GOES_ALONE; // The node says what is missing.
    }
    BatchKey key = BatchKey.of(scope, link.pool, facts, values);
    if (slot.departs(session.router().batcher(), key)) {
      return Turn.GOES_ALONE;
    }
    if (!session.plan().isEmpty()) {
      return Turn.WAITS;
    }
    Amounts amounts = AmountReader.read(facts, values);
    if (amounts == null) {
      slot.departsAlone(session.router().batcher(), key);
      return Turn.GOES_ALONE;
    }
    return await(routed, link, values, key, amounts);
  }

  private Turn await(
      RoutedStatement routed, Link link, BoundValues values, BatchKey key, Amounts amounts) {
    Result result =
        slot.await(
            session.router().batcher(),
            key,
            amounts,
            () -> session.links().connect(link),
            batch -> new BatchedUpdate(session, routed, link).run(values, batch));
    if (result instanceof Result.Done done) {
      session.notRetryable();
      return new Turn(Turn.Kind.DONE, done.rows());
    }
    if (result instanceof Result.Unknown unknown) {
      throw new Failure(SessionErrors.effectUnknown(unknown.reason()));
    }
    return Turn.GOES_ALONE;
  }
}
