package org.abelian.router.session;

import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.abelian.router.analysis.UtilityKind;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.FixedMessage;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.transaction.CommitOutcome;
import org.abelian.router.transaction.CommutingEnding;
import org.abelian.router.transaction.Intent;

/**
 * The call does blind operations only, so that each participant does and commits its part in one
 * message, together with the intent of the whole; docs/protocols/commuting.md has the argument. It
 * takes calls outside of transactions at READ COMMITTED. What makes a call unfit is found before
 * anything is sent, or by every participant alike; then it becomes a coordinated transaction.
 */
final class CommutingCall implements ProcedureStrategy {
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

  private final Session session;
  private final JoinedCall joined;
  private final CallSharing sharing;

  CommutingCall(Session session, JoinedCall joined) {
    this.session = session;
    this.joined = joined;
    sharing = new CallSharing(session, this::run);
  }

  /** Whether it may run a call that is all of its transaction, by what the procedure does. */
  static boolean accepts(Session session, ProcedureCall call) {
    SessionSettings settings = session.settings();
    return !call.homes().isEmpty()
        && nodes(call).containsAll(call.homes())
        && call.routed().utility() == UtilityKind.CALL
        && call.procedure().columns().isEmpty()
        && !IsolationSettings.isStrict(session.transaction(), settings)
        && !ClassChoice.says(settings, ClassChoice.SETTING, "coordinated");
  }

  private static List<Integer> nodes(ProcedureCall call) {
    return Backend.nodes(call.participants());
  }

  @Override
  public Portal bind(ProcedureCall call, BindMessage bind, boolean answer) throws IOException {
    List<Integer> types = call.routed().facts().parameters();
    Optional<List<String>> values = values(types, bind);
    if (values.isEmpty()) {
      session.transaction().work().refuse(UNFIT_ARGUMENT);
      return joined.bind(call, bind, answer);
    }
    if (answer) {
      session.replies().add(FixedMessage.BIND_COMPLETE);
    }
    Portal.OnNodes portal = Portal.OnNodes.withBind(call, bind);
    portal.work = CommutingWork.of(call, types, values.get());
    return portal;
  }

  /** Why it would leave a call with these arguments to a coordinated transaction; else null. */
  String obstacle(ProcedureCall call, BindMessage bind) {
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
  public Progress execute(Portal.OnNodes portal, byte[] name) throws IOException {
    if (portal.work == null) {
      return joined.execute(portal, name);
    }
    if (!session.replies().isEmpty()) {
      return Progress.WAIT;
    }
    CommitOutcome outcome = sharing.run(portal);
    if (outcome instanceof CommitOutcome.RolledBackByNode byNode) {
      String state = byNode.failure().sqlState();
      if (UNFIT.contains(state)) {
        return runJoined(portal, name, state);
      }
      if (state.equals(SqlState.STALE_PLACEMENT.code())) {
        session.control().ending().answer(outcome); // Nothing is done: the group runs again.
      }
    }
    session.notRetryable();
    session.control().ending().announce(CHOICE);
    session.control().ending().answer(outcome);
    session.output().commandComplete(portal.routed.facts().tag());
    return Progress.NEXT;
  }

  /** Runs the calls together, over connections of this session. */
  private void run(Portal.OnNodes portal, List<SharedCall> calls, boolean waits) {
    List<CallFragment> fragments =
        portal.backends.stream().map(backend -> new CallFragment(backend, calls, waits)).toList();
    List<Integer> nodes = nodes(portal.call);
    List<Intent> intents =
        calls.stream().map(call -> new Intent(nodes, call.portal().work.text())).toList();
    List<CommutingEnding> endings;
    try {
      endings = session.router().commuting().run(session.id(), intents, fragments);
    } catch (RuntimeException fault) {
      // Answers may be on their way that nobody will read.
      portal.backends.forEach(backend -> backend.connection.close());
      throw fault;
    }
    for (int i = 0; i < calls.size(); i++) {
      calls.get(i).ending(endings.get(i));
    }
  }

  private Progress runJoined(Portal.OnNodes portal, byte[] name, String state) throws IOException {
    if (state.equals(SqlState.NOT_BLIND.code())) {
      session.schemaMayHaveChanged(true);
    }
    session.transaction().work().refuse("it is more than blind operations by now");
    joined.bind(portal.call, portal.bind, false);
    portal.work = null;
    return joined.execute(portal, name);
  }
}
