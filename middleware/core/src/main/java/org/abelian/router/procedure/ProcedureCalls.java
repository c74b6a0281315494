package org.abelian.router.procedure;

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
import org.abelian.router.analysis.ProcedureFacts;
import org.abelian.router.backend.Backend;
import org.abelian.router.engine.BoundStatement;
import org.abelian.router.engine.Execution;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.RouterWork;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.protocol.ErrorFields;
import org.abelian.router.routing.KeyCandidate;
import org.abelian.router.routing.Route;
import org.abelian.router.session.ClassChoice;
import org.abelian.router.session.CommitClass;
import org.abelian.router.statement.BoundParameters;
import org.abelian.router.statement.RoutedStatement;
import org.abelian.router.statement.SharedStatement;

/**
 * Calls of distributed procedures: chooses the participants and the strategy. A call that met a key
 * of a node that did not take part is run again with that node, as Turcu's dissertation does with
 * misrouted transactions (chapter 7, algorithm 2).
 */
public final class ProcedureCalls {
  private static final Pattern NODE = Pattern.compile("[0-9]+");

  private final CallContext context;

  /** Nodes that a call of the procedure turned out to need, until a group with it succeeds. */
  private final Map<String, Set<Integer>> missing = new HashMap<>();

  private String last;

  /** Its calls are right on one node only. */
  private boolean lastSingle;

  private Set<Integer> lastAll = Set.of();
  private boolean missedBefore;

  /** The call that is being made, or that missed and is to be made again; else null. */
  private CallRecord record;

  /** True when the whole group of messages runs again. */
  private boolean repeats;

  private boolean called;

  /** The calls of a session. */
  public ProcedureCalls(CallContext context) {
    this.context = context;
  }

  /** Binds a call in the way that its commit class says. */
  public Execution bind(BoundStatement bound, Route.Procedure route) throws IOException {
    RoutedStatement routed = bound.routed();
    record = record(routed, route, bound.bind());
    called = true;
    last = route.procedure().signature();
    lastSingle = route.procedure().reach() == ProcedureFacts.Reach.SINGLE;
    lastAll = Set.copyOf(route.all());
    ProcedureCall call = call(bound.statement(), routed, route, record.advice);
    record.participants(call.participants());
    CallChoice choice = CallChoice.of(context, call);
    switch (choice.commitClass()) {
      case COMMUTING:
        return CommutingCall.bind(context, bound, call);
      case INDEPENDENT:
        return IndependentCall.bind(context, bound, call);
      case SINGLE:
        if (!context.engine().transactions().state().isOpen()) {
          tellOfSingle(choice);
        }
        break;
      default:
        context.engine().transactions().state().work().refuse(choice.reason());
    }
    return JoinedCall.bind(context.engine(), bound, call);
  }

  private ProcedureCall call(
      SharedStatement statement,
      RoutedStatement routed,
      Route.Procedure route,
      ProcedureRules.Advice advice) {
    boolean single = route.procedure().reach() == ProcedureFacts.Reach.SINGLE;
    Set<Integer> nodes = new LinkedHashSet<>(route.nodes());
    if (!single) { // else a guess too many would refuse it
      nodes.addAll(advice.nodes());
      nodes.addAll(missing.getOrDefault(route.procedure().signature(), Set.of()));
    }
    nodes.retainAll(Set.copyOf(route.all()));
    List<Backend> participants = new ArrayList<>();
    for (int node : nodes) {
      participants.add(context.engine().backends().backend(routed.router().catalog(), node));
    }
    if (single && participants.size() > 1) {
      throw ofOneNode(route.procedure().signature());
    }
    return new ProcedureCall(statement, routed, route.procedure(), participants, route.homes());
  }

  private static AbelianException ofOneNode(String signature) {
    return new AbelianException(
        SqlState.FEATURE_NOT_SUPPORTED,
        "the call needs rows of several nodes, and "
            + signature
            + " carries values from the rows of one key to those of another",
        "Each node would run the body on its own rows, and miss the others'.",
        "SELECT abelian.explain_procedure('"
            + signature
            + "') says where. Send its statements by themselves, or declare it with unsafe => true"
            + " if it allows for absent rows.",
        null);
  }

  /** What is learned from this call; another attempt of the last one goes on with what that has. */
  private CallRecord record(RoutedStatement routed, Route.Procedure route, BindMessage bind) {
    String signature = route.procedure().signature();
    long version = routed.router().catalog().version();
    ProcedureRules rules = context.services().rules().of(signature, version);
    ProcedureRules.Call known = rules == null ? null : known(routed, route, bind);
    boolean again = record != null && record.missedNow && record.signature.equals(signature);
    if (again && (repeats || record.call != null && record.call.equals(known))) {
      repeats = false;
      return record.again(known);
    }
    boolean mayTest =
        !context.engine().transactions().state().isOpen()
            && context.engine().group().isOneStatement();
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
  public ProcedureRules.Advice learned(
      RoutedStatement routed, Route.Procedure route, BindMessage bind) {
    long version = routed.router().catalog().version();
    ProcedureRules rules = context.services().rules().of(route.procedure().signature(), version);
    return rules == null ? ProcedureRules.Advice.NONE : rules.expect(known(routed, route, bind));
  }

  /** The nodes that a call would go to. */
  public List<Integer> participants(
      RoutedStatement routed, Route.Procedure route, BindMessage bind) {
    ProcedureCall call = call(null, routed, route, learned(routed, route, bind));
    return Backend.nodes(call.participants());
  }

  /** The class of a call with these arguments, were it all that its transaction does. */
  public ClassChoice explain(
      SharedStatement statement, RoutedStatement routed, Route.Procedure route, BindMessage bind) {
    ProcedureCall call = call(statement, routed, route, learned(routed, route, bind));
    CallChoice choice = CallChoice.alone(context, call);
    if (!call.isSingle() && !routed.writes()) {
      return ClassChoice.single();
    }
    String obstacle =
        switch (choice.commitClass()) {
          case COMMUTING -> CommutingCall.obstacle(call, bind);
          case INDEPENDENT -> IndependentCall.obstacle(call, bind);
          default -> null;
        };
    return obstacle == null
        ? new ClassChoice(choice.commitClass(), choice.reason(), null)
        : new ClassChoice(CommitClass.COORDINATED, obstacle, null);
  }

  private void tellOfSingle(CallChoice choice) {
    ClassChoice told = new ClassChoice(choice.commitClass(), choice.reason(), null);
    context
        .engine()
        .replies()
        .add(RouterWork.then(() -> context.engine().transactions().ending().announce(told)));
  }

  /**
   * A node answered that nodes are missing among the participants: everything is rolled back and
   * run again with them, or with all nodes when that has been tried. Where the client's transaction
   * has already done more, the client must try again.
   */
  public void misrouted(ErrorFields node) {
    if (lastSingle) {
      context.engine().replies().output().error(ClientError.fields(ofOneNode(last)));
      return;
    }
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
      context.services().rules().misrouted(last, record.version);
    }
    repeats = context.engine().retry().request(false);
    if (repeats) {
      called = false;
      return;
    }
    context
        .engine()
        .replies()
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
  public void groupEnded(boolean failed) {
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
    ProcedureRules rules = context.services().rules().of(record.signature, record.version);
    if (rules != null) {
      rules.executed(record.call, record.advice, record.missed, record.participants);
    }
  }
}
