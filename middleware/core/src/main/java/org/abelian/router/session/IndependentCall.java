package org.abelian.router.session;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.abelian.router.execution.FixedMessage;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.transaction.Pause;
import org.abelian.router.transaction.independent.Refusal;

/**
 * The call is an independent transaction of its own: one round for a timestamp, one for the rest,
 * and no vote. Where a lane does not take part, the call becomes a coordinated transaction.
 */
final class IndependentCall implements ProcedureStrategy {
  private static final int ATTEMPTS = 4;
  private static final String LANES_REFUSED = "lanes refused it " + ATTEMPTS + " times";
  private static final String STRICT_NODE =
      "a node's default isolation level is above READ COMMITTED";
  private static final int PAUSE_MILLIS = 5;

  private final Session session;
  private final JoinedCall joined;

  IndependentCall(Session session, JoinedCall joined) {
    this.session = session;
    this.joined = joined;
  }

  @Override
  public Portal bind(ProcedureCall call, BindMessage bind, boolean answer) throws IOException {
    Optional<String> text =
        IntentText.of(call.statement().sql(), call.routed().facts().parameters(), bind);
    if (text.isEmpty() || !IntentText.canName(call.procedure().signature(), text.get())) {
      return joined(call, bind, answer, "an argument's text may not read the same everywhere");
    } else if (!runsNext(bind)) {
      return joined(call, bind, answer, "other messages stand between its Bind and its Execute");
    }
    if (answer) {
      session.plan().add(FixedMessage.BIND_COMPLETE);
    }
    String intent = IntentText.named(call.procedure().signature(), text.get());
    Portal.OnNodes portal = Portal.OnNodes.withIntent(call, intent, bind);
    portal.resultFormats = bind.resultFormats();
    return portal;
  }

  private Portal joined(ProcedureCall call, BindMessage bind, boolean answer, String reason)
      throws IOException {
    session.transaction().work().refuse(reason);
    return joined.bind(call, bind, answer);
  }

  /** The description comes with the rows: nothing may have to be answered between. */
  private boolean runsNext(BindMessage bind) {
    return session.simple().isRunning() || session.extended().runsNext(bind);
  }

  @Override
  public Outcome execute(Portal.OnNodes portal, byte[] name) throws IOException {
    if (portal.intent == null) {
      return joined.execute(portal, name);
    }
    if (!session.plan().isEmpty()) {
      return Outcome.WAIT;
    }
    for (Link link : portal.links) {
      session.links().connect(link);
    }
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
      Refusal refusal = IndependentAttempt.run(session, portal);
      if (refusal == null) {
        return Outcome.NEXT;
      } else if (refusal == Refusal.ISOLATION) {
        return join(portal, name, STRICT_NODE);
      }
      int pause = PAUSE_MILLIS * attempt;
      Pause.SLEEP.pause(Duration.ofMillis(ThreadLocalRandom.current().nextInt(pause) + 1));
    }
    return join(portal, name, LANES_REFUSED);
  }

  /** The call becomes a coordinated transaction. */
  private Outcome join(Portal.OnNodes portal, byte[] name, String reason) throws IOException {
    joined(portal.call, portal.bind, false, reason);
    portal.intent = null;
    if (portal.describes) {
      NodeConnection first = portal.links.get(0).connection;
      first.writer().begin(FrontendType.DESCRIBE).int1('P').string(name).end();
      session.plan().add(NodeReply.pass(first));
    }
    return joined.execute(portal, name);
  }
}
