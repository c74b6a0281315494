package org.abelian.router.session;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.Action;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.protocol.ErrorFields;
import org.abelian.router.routing.Route;

/**
 * Calls of distributed procedures: chooses the participants and the strategy. A call that met a key
 * of a node that did not take part is run again with that node, as Turcu's dissertation does with
 * misrouted transactions (chapter 7, algorithm 2).
 */
final class ProcedureCalls {
  private static final Pattern NODE = Pattern.compile("[0-9]+");

  private final Session session;
  private final JoinedCall joined;
  private final CommutingCall commuting;
  private final IndependentCall independent;

  /** Nodes that a call of the procedure turned out to need, until a group with it succeeds. */
  private final Map<String, Set<Integer>> missing = new HashMap<>();

  private String last;
  private Set<Integer> lastAll = Set.of();
  private boolean missedBefore;
  private boolean called;

  ProcedureCalls(Session session) {
    this.session = session;
    joined = new JoinedCall(session);
    commuting = new CommutingCall(session, joined);
    independent = new IndependentCall(session, joined);
  }

  /** As {@link Spread#bind}. */
  Portal bind(
      SharedStatement statement,
      RoutedStatement routed,
      Route.Procedure route,
      BindMessage bind,
      boolean answer)
      throws IOException {
    Set<Integer> nodes = new LinkedHashSet<>(route.nodes());
    called = true;
    last = route.procedure().signature();
    lastAll = Set.copyOf(route.all());
    nodes.addAll(missing.getOrDefault(last, Set.of()));
    nodes.retainAll(lastAll);
    List<Link> participants = new ArrayList<>();
    for (int node : nodes) {
      participants.add(session.links().link(routed.router().catalog(), node));
    }
    ProcedureCall call =
        new ProcedureCall(statement, routed, route.procedure(), participants, route.homes());
    CallChoice choice = CallChoice.of(session, call);
    ProcedureStrategy chosen = strategy(choice);
    Portal portal = chosen.bind(call, bind, answer);
    if (portal instanceof Portal.OnNodes several) {
      several.strategy = chosen;
      several.call = call;
    }
    return portal;
  }

  private ProcedureStrategy strategy(CallChoice choice) {
    switch (choice.commitClass()) {
      case COMMUTING:
        return commuting;
      case INDEPENDENT:
        return independent;
      case SINGLE:
        if (!session.transaction().isOpen()) {
          tellOfSingle(choice);
        }
        return joined;
      default:
        session.transaction().work().refuse(choice.reason());
        return joined;
    }
  }

  private void tellOfSingle(CallChoice choice) {
    ClassChoice told = new ClassChoice(choice.commitClass(), choice.reason(), null);
    session.plan().add(Action.then(() -> session.control().ending().announce(told)));
  }

  /**
   * A node answered that nodes are missing among the participants: everything is rolled back and
   * run again with them, or with all nodes when that has been tried. Where the client's transaction
   * has already done more, the client must try again.
   */
  void misrouted(ErrorFields node) {
    Set<Integer> nodes = missing.computeIfAbsent(last, any -> new LinkedHashSet<>());
    if (missedBefore) {
      nodes.addAll(lastAll);
    }
    Matcher numbers = NODE.matcher(String.valueOf(node.get(ErrorFields.DETAIL)));
    while (numbers.find()) {
      nodes.add(Integer.valueOf(numbers.group()));
    }
    missedBefore = true;
    if (session.retry().request(false)) {
      return;
    }
    session
        .output()
        .error(
            ErrorFields.of(
                    "ERROR",
                    SqlState.SERIALIZATION_FAILURE.code(),
                    "procedure " + last + " needs nodes that do not take part in the transaction")
                .with(ErrorFields.DETAIL, node.message())
                .with(
                    ErrorFields.HINT,
                    "Try the transaction again: the next call goes to them as well."));
  }

  /** A group of messages ended; after a success with a call, what was missing took part. */
  void groupEnded(boolean failed) {
    if (called && !failed) {
      missing.clear();
      missedBefore = false;
    }
    called = false;
  }
}
