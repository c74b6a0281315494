package org.abelian.router.engine;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.abelian.router.analysis.StatementKind;
import org.abelian.router.backend.Backend;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.error.AbelianException;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.execution.RouterWork;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.session.Cancellation;
import org.abelian.router.session.GateTurns;
import org.abelian.router.session.ReadEvidence;
import org.abelian.router.session.ReadKnowledge;
import org.abelian.router.session.ReadLedger;
import org.abelian.router.session.SnapshotGate;
import org.abelian.router.statement.RoutedStatement;

/**
 * Has several nodes bind a read, which is when they take its snapshots, so that these show each
 * transaction over several nodes wholly or not at all. All are asked at once, and tell what their
 * snapshots show. If that does not fit together, they bind it anew; if that does not help, or they
 * cannot tell, behind the commit gate.
 */
final class JointSnapshot {
  /** Has a node tell only how many have passed its gate. */
  private static final String ALL = "-1";

  /** How often a read waits for others that pass the gates, before it does so beside them. */
  private static final int ATTEMPTS = 6;

  private static final int TURN_MILLIS = 200;

  private final EngineContext context;
  private final RoutedStatement routed;
  private final List<Backend> backends;
  private final List<Integer> nodes;
  private final JointRead read;
  private final SnapshotQuestion question;
  private final ReadLedger ledger;

  private final boolean runsAtOnce;
  private final boolean isLast;

  /** Notices when the client does not want the statement any more. */
  private final Cancellation.Watch watch;

  /** The same read, for which more nodes are asked; null for none. */
  private JointSnapshot wider;

  /**
   * Nothing is sent yet.
   *
   * @param runsAtOnce whether it may run before its snapshots are known to fit together
   * @param isLast whether these nodes are asked nothing else in this group of messages: then the
   *     answer to its Sync comes with the rows
   */
  JointSnapshot(
      EngineContext context,
      RoutedStatement routed,
      List<Backend> backends,
      JointRead read,
      boolean runsAtOnce,
      boolean isLast) {
    this.context = context;
    this.routed = routed;
    this.backends = backends;
    this.nodes = Backend.nodes(backends);
    this.read = read;
    this.ledger = context.gate().reads();
    this.runsAtOnce = runsAtOnce;
    this.isLast = isLast;
    this.question = new SnapshotQuestion(context, routed, backends, read);
    this.watch = context.gate().watch();
  }

  /** True when it makes no difference whether a node binds the statement once or several times. */
  static boolean isRepeatable(RoutedStatement routed) {
    return routed.facts().kind() == StatementKind.SELECT
        && !routed.writes()
        && !routed.pins()
        && !routed.maySet()
        && !routed.facts().calls().volatileFunctions()
        && !routed.locks();
  }

  /**
   * Binds it on all nodes. For what is not repeatable the answers may still be due afterwards; else
   * nothing may be due before.
   *
   * @return false when a node has failed, and the client was told
   */
  boolean take() throws IOException {
    context.transactions().enterTogether(backends, routed.writes());
    if (nodes.size() == 1) {
      question.bind(0, null);
      read.run(0);
      return true;
    }
    return takeAsked();
  }

  /** The same of nodes that take part, but for witnesses. */
  private boolean takeAsked() throws IOException {
    boolean may = isValidated() && context.transactions().mayReadBeside();
    List<Integer> asked = may ? ledger.asked(nodes) : nodes;
    if (asked.size() > nodes.size() && widen(asked)) {
      return takeWider();
    }
    SeveralNodes.together(context, context.backends().joint(backends, true), this::takeTogether);
    return wider == null ? !context.replies().failed() : takeWider();
  }

  private boolean takeWider() throws IOException {
    watch.check();
    boolean taken = false;
    try {
      taken = wider.takeAsked();
      return taken;
    } finally {
      if (!taken) { // Perhaps because of a witness.
        ledger.leaveWitnesses(nodes);
      }
    }
  }

  /** Whether its nodes can be asked again, and tell what their snapshots show. */
  private boolean isValidated() {
    return isRepeatable(routed) && !context.transactions().isStrict();
  }

  /**
   * Has these nodes asked, too, which are not read.
   *
   * @return false when one of them cannot be
   */
  private boolean widen(List<Integer> asked) {
    Catalog catalog = routed.router().catalog();
    boolean areThere = asked.stream().allMatch(node -> catalog.node(node).isPresent());
    List<Backend> all = areThere ? SeveralNodes.backends(context, routed, asked) : List.of();
    if (!areThere || !all.stream().allMatch(this::isConnected)) {
      ledger.leaveWitnesses(nodes);
      return false;
    }
    JointRead witnessed = new WitnessedRead(context, read, nodes, all);
    wider = new JointSnapshot(context, routed, all, witnessed, runsAtOnce, isLast);
    return true;
  }

  /** Whether the node can be asked, and nobody has to wait for that. */
  private boolean isConnected(Backend backend) {
    if (backend.connection == null && !backend.pool.wouldLendAtOnce()) {
      return false;
    }
    try {
      context.backends().connect(backend);
      return true;
    } catch (AbelianException | ClientError away) {
      watch.check(); // It may be away because the client has cancelled what it was to do.
      return false;
    }
  }

  /** The same, because of what the answers have told. */
  private boolean widen(Set<Integer> outside) {
    Set<Integer> asked = new TreeSet<>(nodes);
    asked.addAll(outside);
    boolean may =
        !outside.isEmpty()
            && ledger.mayHaveWitnesses(nodes)
            && context.transactions().mayReadBeside();
    if (!may || !widen(List.copyOf(asked))) {
      return false;
    }
    ledger.needsWitnesses(nodes, List.copyOf(asked));
    return true;
  }

  private void takeTogether() throws IOException {
    if (context.transactions().state().hasCommonSnapshot()) {
      bindAll();
      question.runAll();
    } else if (!isValidated()) {
      if (lockTables()) {
        behindGate(null);
      }
    } else {
      takeValidated();
    }
  }

  private void takeValidated() throws IOException {
    // Another read may learn behind the gates what spares this one the way.
    boolean isOver = false;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      ReadKnowledge known = ledger.of(nodes);
      if (known != null) {
        ValidatedSnapshot validated =
            new ValidatedSnapshot(context, backends, read, question, runsAtOnce, isLast);
        if (validated.fitsTogether(known, watch)
            || context.replies().failed()
            || widen(validated.outside())) {
          return;
        }
        if (validated.isHopeless()) {
          break;
        }
      } else if (isOver) {
        break; // The other has learned nothing.
      }
      watch.check();
      if (!lockTables()) {
        return;
      }
      GateTurns.Turn turn = ledger.gateTurns().take(nodes);
      if (turn != null) {
        behindGate(turn);
        return;
      }
      isOver = ledger.gateTurns().await(nodes, TURN_MILLIS);
    }
    watch.check();
    if (lockTables()) {
      behindGate(null);
    }
  }

  /** Has the answers to the Sync taken that went along with it, behind its rows. */
  void end() throws IOException {
    if (wider != null) {
      wider.end();
      return;
    }
    for (Backend backend : backends) {
      if (backend.synced) {
        context.replies().runNow(NodeReply.end(backend.connection));
        context.backends().untouch(backend);
      }
    }
  }

  /**
   * @param turn of the read; null for none
   */
  private void behindGate(GateTurns.Turn turn) throws IOException {
    SnapshotGate.Hold hold = null;
    boolean bound = false;
    try {
      hold = context.gate().take(routed.router().catalog(), nodes);
      bindAll();
      bound = true;
    } finally {
      if (!bound) {
        release(hold, turn);
      }
    }
    SnapshotGate.Hold held = hold;
    context.replies().add(RouterWork.then(held::releaseAfterRead));
    if (isValidated()) { // Nothing is learned behind a gate that was lost.
      context.replies().add(RouterWork.then(this::learnBehind));
    }
    context.replies().add(RouterWork.always(() -> release(held, turn)));
    // Until the nodes say that they have bound it the gate is held: they say so before they run it,
    // when they may wait for locks of somebody who waits at the gate.
    for (Backend backend : backends) {
      backend.connection.writer().empty(FrontendType.FLUSH);
    }
    if (question.awaitsWitnesses()) {
      question.answer();
    }
    if (!context.replies().failed()) {
      question.runAll();
    }
  }

  /**
   * Has the nodes bind it once, so that they lock its tables. Behind the gate it might wait for
   * somebody who has defined one of them anew, and who waits at the gate to commit that.
   *
   * @return false when a node has failed
   */
  private boolean lockTables() throws IOException {
    List<Integer> reading =
        IntStream.range(0, backends.size()).filter(read::reads).boxed().toList();
    for (int place : reading) {
      bind(place);
    }
    context.backends().requestAnswers();
    context.replies().runAll();
    if (!context.replies().failed()) {
      reading.forEach(read::close);
    }
    return !context.replies().failed();
  }

  private static void release(SnapshotGate.Hold hold, GateTurns.Turn turn) {
    if (hold != null) {
      hold.release();
    }
    if (turn != null) {
      turn.end();
    }
  }

  /** Portals of what is repeatable have names, by which others can read by their snapshots. */
  private void bindAll() throws IOException {
    for (int place = 0; place < backends.size(); place++) {
      bind(place);
    }
  }

  private void bind(int place) throws IOException {
    question.bind(place, isRepeatable(routed) ? SnapshotQuestion.portal(context, "", ALL) : null);
  }

  private void learnBehind() {
    List<ReadEvidence> evidence = SnapshotQuestion.parsed(question.told());
    ledger.begin(nodes, ReadKnowledge.behindGates(nodes, evidence));
  }
}
