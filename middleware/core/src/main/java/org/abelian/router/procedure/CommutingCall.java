package org.abelian.router.procedure;

import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.abelian.router.analysis.UtilityKind;
import org.abelian.router.backend.Backend;
import org.abelian.router.backend.BackendSession;
import org.abelian.router.engine.BoundStatement;
import org.abelian.router.engine.Execution;
import org.abelian.router.error.SqlState;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.session.ClassChoice;
import org.abelian.router.session.CommitClass;
import org.abelian.router.session.IntentText;
import org.abelian.router.session.IsolationSettings;
import org.abelian.router.session.Progress;
import org.abelian.router.session.TransactionEnding;
import org.abelian.router.session.Transactions;
import org.abelian.router.transaction.CommitOutcome;
import org.abelian.router.transaction.CommutingEnding;
import org.abelian.router.transaction.Intent;

/**
 * The call does blind operations only, so that each participant does and commits its part in one
 * message, together with the intent of the whole; docs/protocols/commuting-calls.md has the
 * argument. It takes calls outside of transactions at READ COMMITTED. What makes a call unfit is
 * found before anything is sent, or by every participant alike; then it becomes a coordinated
 * transaction.
 */
public final class CommutingCall extends Execution {
  private static final int INT8 = 20;
  private static final int NUMERIC = 1700;

  /** Larger amounts could bring a counter to the end of its range, where operations fail. */
  private static final BigDecimal AMOUNT_MAX = BigDecimal.valueOf(1L << 40);

  private static final int DIGITS_MAX = 100;

  private static final Set<String> UNFIT =
      Set.of(SqlState.MISROUTED_PROCEDURE.code(), SqlState.NOT_BLIND.code());

  private static final String UNFIT_ARGUMENT =
      "an argument is NULL, large, or of a type that may read otherwise elsewhere";

  private static final ClassChoice CHOICE =
      new ClassChoice(CommitClass.COMMUTING, "it wrote on several nodes", null);

  private final CallContext context;
  private final BoundStatement bound;
  private final PreparedCall prepared;
  private final CallSharing sharing;

  private CommutingCall(CallContext context, BoundStatement bound, PreparedCall prepared) {
    this.context = context;
    this.bound = bound;
    this.prepared = prepared;
    sharing = new CallSharing(context, this::run);
  }

  /** Whether it may run a call that is all of its transaction, by what the procedure does. */
  public static boolean accepts(CallContext context, ProcedureCall call) {
    BackendSession backends = context.engine().backends();
    return !call.homes().isEmpty()
        && nodes(call).containsAll(call.homes())
        && call.routed().utility() == UtilityKind.CALL
        && call.procedure().columns().isEmpty()
        && !IsolationSettings.isStrict(context.engine().transactions().state(), backends)
        && !backends.says(ClassChoice.SETTING, "coordinated");
  }

  private static List<Integer> nodes(ProcedureCall call) {
    return Backend.nodes(call.participants());
  }

  /** Keeps the call until it is executed; one that does not fit becomes a coordinated one. */
  public static Execution bind(CallContext context, BoundStatement bound, ProcedureCall call)
      throws IOException {
    List<Integer> types = call.routed().facts().parameters();
    Optional<List<String>> values = values(types, bound.bind());
    if (values.isEmpty()) {
      context.engine().transactions().state().work().refuse(UNFIT_ARGUMENT);
      return JoinedCall.bind(context.engine(), bound, call);
    }
    bound.answerBind(context.engine().replies());
    CommutingWork work = CommutingWork.of(call, types, values.get());
    PreparedCall prepared = PreparedCall.commuting(call, bound.bind(), work);
    return new CommutingCall(context, bound.keeping(prepared.bind()), prepared);
  }

  /** Why it would leave a call with these arguments to a coordinated transaction; else null. */
  public static String obstacle(ProcedureCall call, BindMessage bind) {
    return values(call.routed().facts().parameters(), bind).isEmpty() ? UNFIT_ARGUMENT : null;
  }

  /** The values in text form; empty when an operation could fail with one of them. */
  private static Optional<List<String>> values(List<Integer> types, BindMessage bind) {
    List<String> values = new ArrayList<>(types.size());
    for (int i = 0; i < types.size(); i++) {
      int type = types.get(i);
      Optional<String> value = IntentText.plain(i, types, bind);
      if (value.isEmpty() || (type == INT8 || type == NUMERIC) && !isSmall(value.get())) {
        return Optional.empty();
      }
      values.add(value.get());
    }
    return Optional.of(values);
  }

  private static boolean isSmall(String number) {
    try {
      return number.length() <= DIGITS_MAX
          && !number.contains("e")
          && !number.contains("E")
          && new BigDecimal(number.strip()).abs().compareTo(AMOUNT_MAX) <= 0;
    } catch (NumberFormatException notANumber) {
      return false;
    }
  }

  @Override
  public boolean runsQuiet(int limit) {
    return true;
  }

  @Override
  public void describe(Description wanted) {
    describeNothing(context.engine().replies(), wanted);
  }

  @Override
  public Progress execute(int limit) throws IOException {
    TransactionEnding ending = context.engine().transactions().ending();
    CommitOutcome outcome = sharing.run(prepared);
    if (outcome instanceof CommitOutcome.RolledBackByNode byNode) {
      String state = byNode.failure().sqlState();
      if (UNFIT.contains(state)) {
        return runJoined(state);
      }
      if (state.equals(SqlState.STALE_PLACEMENT.code())) {
        ending.answer(outcome); // Nothing is done: the group runs again.
      }
    }
    context.engine().retry().forbid();
    ending.announce(CHOICE);
    ending.answer(outcome);
    context.engine().replies().output().commandComplete(prepared.call().routed().facts().tag());
    return Progress.NEXT;
  }

  /** Runs the calls together, over connections of this session. */
  private void run(PreparedCall leader, List<SharedCall> calls, boolean waits) {
    List<CallFragment> fragments =
        leader.participants().stream()
            .map(backend -> new CallFragment(backend, calls, waits))
            .toList();
    List<Integer> nodes = nodes(leader.call());
    List<Intent> intents =
        calls.stream().map(call -> new Intent(nodes, call.prepared().work().text())).toList();
    List<CommutingEnding> endings;
    try {
      endings = context.services().commuting().run(context.session(), intents, fragments);
    } catch (RuntimeException fault) {
      // Answers may be on their way that nobody will read.
      leader.participants().forEach(backend -> backend.connection.close());
      throw fault;
    }
    for (int i = 0; i < calls.size(); i++) {
      calls.get(i).ending(endings.get(i));
    }
  }

  private Progress runJoined(String state) throws IOException {
    Transactions transactions = context.engine().transactions();
    if (state.equals(SqlState.NOT_BLIND.code())) {
      transactions.ending().schemaIsKnownToHaveChanged();
    }
    transactions.state().work().refuse("it is more than blind operations by now");
    return JoinedCall.bind(context.engine(), bound, prepared.call()).execute(0);
  }
}
