package org.abelian.router.session;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.abelian.router.execution.FixedMessage;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.transaction.independent.Refusal;

/**
 * The call is an independent transaction of its own: one round for a timestamp, one for the rest,
 * and no vote. Where a lane does not take part, the call becomes a coordinated transaction.
 */
final class IndependentCall implements ProcedureStrategy {
  private static final String LANES_REFUSED =
      "lanes refused it " + LaneAttempts.ATTEMPTS + " times";
  private static final String GATE_CLOSED =
      "the gate of a lane stayed closed for " + LaneAttempts.GATE_SECONDS + " s";
  private static final String UNFIT_ARGUMENT =
      "an argument's text may not read the same everywhere";
  private static final String STRICT_NODE =
      "a node's default isolation level is above READ COMMITTED";

  private final Session session;
  private final JoinedCall joined;
  private final LaneSharing sharing;

  IndependentCall(Session session, JoinedCall joined) {
    this.session = session;
    this.joined = joined;
    sharing = new LaneSharing(session);
  }

  @Override
  public Portal bind(ProcedureCall call, BindMessage bind, boolean answer) throws IOException {
    Optional<String> text = text(call, bind);
    if (!isFit(call, text)) {
      return joined(call, bind, answer, UNFIT_ARGUMENT);
    } else if (!runsNext(bind)) {
      return joined(call, bind, answer, "other messages stand between its Bind and its Execute");
    }
    if (answer) {
      session.replies().add(FixedMessage.BIND_COMPLETE);
    }
    Portal.OnNodes portal = Portal.OnNodes.withBind(call, bind);
    portal.intent = IntentText.named(call.procedure().signature(), text.get());
    portal.resultFormats = bind.resultFormats();
    return portal;
  }

  private static Optional<String> text(ProcedureCall call, BindMessage bind) {
    return IntentText.of(call.statement().sql(), call.routed().facts().parameters(), bind);
  }

  private static boolean isFit(ProcedureCall call, Optional<String> text) {
    return text.isPresent() && IntentText.canName(call.procedure().signature(), text.get());
  }

  /** Why it would leave a call with these arguments to a coordinated transaction; else null. */
  String obstacle(ProcedureCall call, BindMessage bind) {
    return isFit(call, text(call, bind)) ? null : UNFIT_ARGUMENT;
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
  public Progress execute(Portal.OnNodes portal, byte[] name) throws IOException {
    if (portal.intent == null) {
      return joined.execute(portal, name);
    }
    if (!session.replies().isEmpty()) {
      return Progress.WAIT;
    }
    if (sharing.run(portal)) {
      return Progress.NEXT;
    }
    LaneCall call = new LaneCall(session, portal);
    CancelWatch watch = new CancelWatch(session);
    Refusal refusal =
        new LaneAttempts(session, portal.backends, List.of(call), watch::hasStruck).run();
    if (refusal == null) {
      call.answer();
      return Progress.NEXT;
    }
    watch.check();
    return join(portal, name, reason(refusal));
  }

  private static String reason(Refusal refusal) {
    return switch (refusal) {
      case ISOLATION -> STRICT_NODE;
      case GATE -> GATE_CLOSED;
      default -> LANES_REFUSED;
    };
  }

  /** The call becomes a coordinated transaction. */
  private Progress join(Portal.OnNodes portal, byte[] name, String reason) throws IOException {
    joined(portal.call, portal.bind, false, reason);
    portal.intent = null;
    if (portal.describes) {
      NodeConnection first = portal.backends.get(0).connection;
      first.writer().begin(FrontendType.DESCRIBE).int1('P').string(name).end();
      session.replies().add(NodeReply.pass(first));
    }
    return joined.execute(portal, name);
  }
}
