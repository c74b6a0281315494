package org.abelian.router.session;

import java.util.regex.Pattern;
import org.abelian.router.analysis.CombinedFacts;
import org.abelian.router.combining.AmountReader;
import org.abelian.router.combining.Amounts;
import org.abelian.router.combining.Batch;
import org.abelian.router.combining.CombiningKey;
import org.abelian.router.combining.Flight;
import org.abelian.router.combining.Member;
import org.abelian.router.combining.Result;
import org.abelian.router.error.AbelianException;
import org.abelian.router.execution.FixedMessage;
import org.abelian.router.routing.BoundValues;

/**
 * A session's part in combining: whether its statement may be run together with others', waiting
 * for them, and running one statement for all when it is the session's turn.
 */
final class Combining {
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
  private SettingsSnapshot scopeSettings;
  private int scopeTimeout;
  private String scope;
  private boolean enabled;
  private Flight flight;
  private volatile Member waiting;

  Combining(Session session) {
    this.session = session;
  }

  /** The tag of an update. */
  static FixedMessage tag(long rows) {
    return rows == 1 ? ONE_ROW : FixedMessage.tag("UPDATE " + rows);
  }

  /** True when the statement, run as the whole of a transaction, may be run with others'. */
  boolean applies(RoutedStatement routed, Link link) {
    if (routed.facts().combined() == null
        || session.transaction().isOpen()
        || link.pinned
        || !session.links().touched().isEmpty()
        || session.runner().seesForItself()) {
      return false;
    }
    look();
    return enabled;
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
  Turn run(RoutedStatement routed, Link link, BoundValues values) {
    endGroup();
    CombinedFacts facts = routed.facts().combined();
    if (values.count() + facts.operands().size() != facts.parameters().size()) {
      return Turn.GOES_ALONE; // The node says what is missing.
    }
    CombiningKey key = CombiningKey.of(scope, link.pool, facts, values);
    flight = session.router().combiner().depart(key);
    if (flight != null) {
      return Turn.GOES_ALONE;
    }
    if (!session.plan().isEmpty()) {
      return Turn.WAITS;
    }
    Amounts amounts = AmountReader.read(facts, values);
    if (amounts == null) {
      flight = session.router().combiner().departAlone(key);
      return Turn.GOES_ALONE;
    }
    return gather(routed, link, values, key, amounts);
  }

  private Turn gather(
      RoutedStatement routed, Link link, BoundValues values, CombiningKey key, Amounts amounts) {
    Member member = session.router().combiner().join(key, amounts);
    waiting = member;
    try {
      Result result =
          switch (member.await(session.router().combiner().limits().waitNanos())) {
            case LEADS -> lead(routed, link, values, member);
            case WITHDRAWN -> throw cancelled();
            default -> member.result();
          };
      if (result instanceof Result.Done done) {
        session.notRetryable();
        return new Turn(Turn.Kind.DONE, done.rows());
      }
      if (result instanceof Result.Unknown unknown) {
        throw new Failure(SessionErrors.effectUnknown(unknown.cause()));
      }
      if (member.isCancelled()) {
        throw cancelled();
      }
    } finally {
      waiting = null;
    }
    if (flight == null) {
      flight = session.router().combiner().departAlone(key);
    }
    return Turn.GOES_ALONE;
  }

  private Result lead(RoutedStatement routed, Link link, BoundValues values, Member member) {
    Batch batch = member.lead();
    if (batch.size() == 1) {
      flight = batch.alone();
      return new Result.Undone();
    }
    Result result = new Result.Undone();
    try {
      if (!member.isCancelled()) {
        result = new CombinedStatement(session, routed, link).run(values, batch);
      }
    } finally {
      batch.finish(result);
    }
    return result;
  }

  private RuntimeException cancelled() {
    AbelianException deadlock = session.takeDeadlock();
    return deadlock != null
        ? deadlock
        : Failure.of("57014", "canceling statement due to user request");
  }

  /** Cancels the session's operation if it is with others'; false when it is not. */
  boolean cancel() {
    Member member = waiting;
    if (member == null) {
      return false;
    }
    member.cancel();
    return true;
  }

  /** The session's own statement, if one was under way, is answered. */
  void endGroup() {
    if (flight != null) {
      flight.end();
      flight = null;
    }
  }
}
