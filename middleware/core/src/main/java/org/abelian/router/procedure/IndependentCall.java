package org.abelian.router.procedure;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.abelian.router.backend.Backend;
import org.abelian.router.engine.BoundStatement;
import org.abelian.router.engine.Execution;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.session.Cancellation;
import org.abelian.router.session.IntentText;
import org.abelian.router.session.Progress;
import org.abelian.router.transaction.NodeUnreachableException;
import org.abelian.router.transaction.independent.Refusal;

/**
 * The call is an independent transaction of its own: one round for a timestamp, one for the rest,
 * and no vote. Where a lane does not take part, the call becomes a coordinated transaction.
 */
public final class IndependentCall extends Execution {
  private static final String LANES_REFUSED =
      "lanes refused it " + LaneAttempts.ATTEMPTS + " times";
  private static final String GATE_CLOSED =
      "the gate of a lane stayed closed for " + LaneAttempts.GATE_SECONDS + " s";
  private static final String UNFIT_ARGUMENT =
      "an argument's text may not read the same everywhere";
  private static final String NOT_UPDATED = "a node has not been updated to 0.6.0";
  private static final String STRICT_NODE =
      "a node's default isolation level is above READ COMMITTED";

  private final CallContext context;
  private final BoundStatement bound;
  private final PreparedCall prepared;

  /** What it has become when it turned out that it cannot be independent; else null. */
  private Execution joined;

  private IndependentCall(CallContext context, BoundStatement bound, PreparedCall prepared) {
    this.context = context;
    this.bound = bound;
    this.prepared = prepared;
  }

  /** Keeps the call until it is executed; one that does not fit becomes a coordinated one. */
  public static Execution bind(CallContext context, BoundStatement bound, ProcedureCall call)
      throws IOException {
    Optional<String> text = text(call, bound.bind());
    if (!isFit(call, text)) {
      return join(context, bound, call, UNFIT_ARGUMENT);
    } else if (!context.engine().group().runsNext(bound.bind())) {
      // The description comes with the rows: nothing may have to be answered between.
      return join(context, bound, call, "other messages stand between its Bind and its Execute");
    }
    bound.answerBind(context.engine().replies());
    String intent = IntentText.named(call.procedure().signature(), text.get());
    PreparedCall prepared = PreparedCall.independent(call, bound.bind(), intent);
    return new IndependentCall(context, bound.keeping(prepared.bind()), prepared);
  }

  private static Execution join(
      CallContext context, BoundStatement bound, ProcedureCall call, String reason)
      throws IOException {
    context.engine().transactions().state().work().refuse(reason);
    return JoinedCall.bind(context.engine(), bound, call);
  }

  private static Optional<String> text(ProcedureCall call, BindMessage bind) {
    return IntentText.of(call.statement().sql(), call.routed().facts().parameters(), bind);
  }

  private static boolean isFit(ProcedureCall call, Optional<String> text) {
    return text.isPresent() && IntentText.canName(call.procedure().signature(), text.get());
  }

  /** Why it would leave a call with these arguments to a coordinated transaction; else null. */
  public static String obstacle(ProcedureCall call, BindMessage bind) {
    return isFit(call, text(call, bind)) ? null : UNFIT_ARGUMENT;
  }

  @Override
  public boolean runsQuiet(int limit) {
    return joined == null;
  }

  /** The nodes describe it when they run it. */
  @Override
  public void describe(Description wanted) throws IOException {
    if (joined != null) {
      joined.describe(wanted);
    } else if (wanted == Description.FULL || prepared.call().routed().facts().returnsRows()) {
      prepared.describe();
    }
  }

  @Override
  public Progress execute(int limit) throws IOException {
    if (joined != null) {
      return joined.execute(limit);
    }
    if (!areUpdated(prepared.participants())) {
      return executeJoined(NOT_UPDATED);
    }
    if (new IndependentBatching(context).run(prepared)) {
      return Progress.NEXT;
    }
    LaneCall call = new LaneCall(context.engine(), context.services().promises(), prepared);
    Cancellation.Watch watch = context.cancellation().watch();
    Refusal refusal =
        new LaneAttempts(context, prepared.participants(), List.of(call), watch::hasStruck).run();
    if (refusal == null) {
      call.answer();
      return Progress.NEXT;
    }
    watch.check();
    return executeJoined(reason(refusal));
  }

  private Progress executeJoined(String reason) throws IOException {
    joined = join(context, bound, prepared.call(), reason);
    if (prepared.describes()) {
      joined.describe(Description.FULL);
    }
    return joined.execute(0);
  }

  private boolean areUpdated(List<Backend> backends) {
    try {
      return context.services().independents().areUpdated(Backend.nodes(backends));
    } catch (NodeUnreachableException unreachable) {
      return true; // It learns by itself what is wrong.
    }
  }

  private static String reason(Refusal refusal) {
    return switch (refusal) {
      case ISOLATION -> STRICT_NODE;
      case GATE -> GATE_CLOSED;
      default -> LANES_REFUSED;
    };
  }
}
