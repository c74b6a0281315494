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
  boolean applies(RoutedStatement routed, Backend backend) {
    return routed.facts().combined() != null
        && !session.transaction().isOpen()
        && scope(List.of(backend)) != null;
  }

  /**
   * Equal for sessions that may share what they run over backends to the same nodes; null when this
   * one shares nothing.
   */
  String scope(List<Backend> backends) {
    boolean own =
        backends.stream().anyMatch(backend -> backend.pinned)
            || !session.backends().touched().isEmpty()
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
    int timeout = session.replies().timeout();
    if (now == scopeSettings && timeout == scopeTimeout) {
      return;
    }
    scope =
        String.join(
                "\0",
                String.valueOf(timeout),
                String.valueOf(now.placementVersion()),
                String.join("\0", now.statements()))
            .intern();
    enabled = !isOff();
    scopeSettings = now;
    scopeTimeout = timeout;
  }

  private boolean isOff() {
    String statement = session.settings().statement(SETTING);
    if (statement != null) {
      return OFF.matcher(statement).matches();
    }
    String options = session.settings().startup().getOrDefault("options", "");
    String parameter = session.settings().startup().getOrDefault(SETTING, "on");
    return OFF.matcher(options).matches() || OFF.matcher(SETTING + "=" + parameter).matches();
  }

  /**
   * Runs the statement with others' if it meets any.
   *
   * @throws RuntimeException the client's error
   */
  Turn run(RoutedStatement routed, Backend backend, BoundValues values) {
    slot.endGroup();
    CombinedFacts facts = routed.facts().combined();
    if (values.count() + facts.operands().size() != facts.parameters().size()) {
      return Turn.GOES_ALONE; // The node says what is missing.
    }
    BatchKey key = BatchKey.of(scope, backend.pool, facts, values);
    if (slot.departs(session.router().batcher(), key)) {
      return Turn.GOES_ALONE;
    }
    if (!session.replies().isEmpty()) {
      return Turn.WAITS;
    }
    Amounts amounts = AmountReader.read(facts, values);
    if (amounts == null) {
      slot.departsAlone(session.router().batcher(), key);
      return Turn.GOES_ALONE;
    }
    return await(routed, backend, values, key, amounts);
  }

  private Turn await(
      RoutedStatement routed, Backend backend, BoundValues values, BatchKey key, Amounts amounts) {
    Result result =
        slot.await(
            session.router().batcher(),
            key,
            amounts,
            () -> session.backends().connect(backend),
            batch -> new BatchedUpdate(session, routed, backend).run(values, batch));
    if (result instanceof Result.Done done) {
      session.notRetryable();
      return new Turn(Turn.Kind.DONE, done.rows());
    }
    if (result instanceof Result.Unknown unknown) {
      throw new ClientError(SessionErrors.effectUnknown(unknown.reason()));
    }
    return Turn.GOES_ALONE;
  }
}
