package org.abelian.router.session;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.RouterWork;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.protocol.ErrorFields;
import org.abelian.router.routing.KeyCandidate;
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

  /** The call that is being made, or that missed and is to be made again; else null. */
  private CallRecord record;

  /** True when the whole group of messages runs again. */
  private boolean repeats;

  private boolean called;

  ProcedureCalls(Session session) {
    this.session = session;
    joined = new JoinedCall(session);
    commuting = new CommutingCall(session, joined);
    independent = new IndependentCall(session, joined);
  }

  /** As {@backend Spread#bind}. */
  Portal bind(
      SharedStatement statement,
      RoutedStatement routed,
      Route.Procedure route,
      BindMessage bind,
      boolean answer)
      throws IOException {
    record = record(routed, route, bind);
    called = true;
    last = route.procedure().signature();
    lastAll = Set.copyOf(route.all());
    ProcedureCall call = call(statement, routed, route, record.advice);
    record.participants(call.participants());
    CallChoice choice = CallChoice.of(session, call);
    ProcedureStrategy chosen = strategy(choice);
    Portal portal = chosen.bind(call, bind, answer);
    if (portal instanceof Portal.OnNodes several) {
      several.strategy = chosen;
      several.call = call;
    }
    return portal;
  }

  private ProcedureCall call(
      SharedStatement statement,
      RoutedStatement routed,
      Route.Procedure route,
      ProcedureRules.Advice advice) {
    Set<Integer> nodes = new LinkedHashSet<>(route.nodes());
    nodes.addAll(advice.nodes());
    nodes.addAll(missing.getOrDefault(route.procedure().signature(), Set.of()));
    nodes.retainAll(Set.copyOf(route.all()));
    List<Backend> participants = new ArrayList<>();
    for (int node : nodes) {
      participants.add(session.backends().backend(routed.router().catalog(), node));
    }
    return new ProcedureCall(statement, routed, route.procedure(), participants, route.homes());
  }

  /** What is learned from this call; another attempt of the last one goes on with what that has. */
  private CallRecord record(RoutedStatement routed, Route.Procedure route, BindMessage bind) {
    String signature = route.procedure().signature();
    long version = routed.router().catalog().version();
    ProcedureRules rules = session.router().rules().of(signature, version);
    ProcedureRules.Call known = rules == null ? null : known(routed, route, bind);
    boolean again = record != null && record.missedNow && record.signature.equals(signature);
    if (again && (repeats || record.call != null && record.call.equals(known))) {
      repeats = false;
      return record.again(known);
    }
    boolean mayTest = !session.transaction().isOpen() && session.groups().isOneStatement();
    CallRecord next =
        new CallRecord(
            signature,
            version,
            known,
            rules == null ? ProcedureRules.Advice.NONE : rules.use(known, mayTest));
    next.blurred = called || missing.containsKey(signature);
    return next;
  }

  private static ProcedureRules.Call known(
      RoutedStatement routed, Route.Procedure route, BindMessage bind) {
    return new ProcedureRules.Call(
        new LinkedHashSet<>(route.nodes()),
        new LinkedHashSet<>(route.all()),
        KeyCandidate.of(routed.facts(), routed.router().catalog(), new BoundParameters(bind)));
  }

  /** What learned rules would add to a call. */
  ProcedureRules.Advice learned(RoutedStatement routed, Route.Procedure route, BindMessage bind) {
    long version = routed.router().catalog().version();
    ProcedureRules rules = session.router().rules().of(route.procedure().signature(), version);
    return rules == null ? ProcedureRules.Advice.NONE : rules.expect(known(routed, route, bind));
  }

  /** The nodes that a call would go to. */
  List<Integer> participants(RoutedStatement routed, Route.Procedure route, BindMessage bind) {
    ProcedureCall call = call(null, routed, route, learned(routed, route, bind));
    return Backend.nodes(call.participants());
  }

  /** The class of a call with these arguments, were it all that its transaction does. */
  ClassChoice explain(
      SharedStatement statement, RoutedStatement routed, Route.Procedure route, BindMessage bind) {
    ProcedureCall call = call(statement, routed, route, learned(routed, route, bind));
    CallChoice choice = CallChoice.alone(session, call);
    if (!call.isSingle() && !routed.writes()) {
      return ClassChoice.single();
    }
    String obstacle =
        switch (choice.commitClass()) {
          case COMMUTING -> commuting.obstacle(call, bind);
          case INDEPENDENT -> independent.obstacle(call, bind);
          default -> null;
        };
    return obstacle == null
        ? new ClassChoice(choice.commitClass(), choice.reason(), null)
        : new ClassChoice(CommitClass.COORDINATED, obstacle, null);
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
    session.replies().add(RouterWork.then(() -> session.control().ending().announce(told)));
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
    Set<Integer> found = new HashSet<>();
    Matcher numbers = NODE.matcher(String.valueOf(node.get(ErrorFields.DETAIL)));
    while (numbers.find()) {
      int number = Integer.parseInt(numbers.group());
      found.add(number);
    }
    nodes.addAll(found);
    missedBefore = true;
    if (record != null) { // else it was bound by an earlier group
      record.missed.addAll(found);
      record.missedNow = true;
      session.router().rules().misrouted(last, record.version);
    }
    repeats = session.retry().request(false);
    if (repeats) {
      called = false;
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
      learn();
      missing.clear();
      missedBefore = false;
    }
    if (record != null && !record.missedNow) {
      record = null;
    }
    repeats = false;
    called = false;
  }

  private void learn() {
    if (record == null || record.blurred || record.call == null) {
      return;
    }
    ProcedureRules rules = session.router().rules().of(record.signature, record.version);
    if (rules != null) {
      rules.executed(record.call, record.advice, record.missed, record.participants);
    }
  }
}
