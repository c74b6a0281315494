package org.abelian.router.engine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.abelian.router.analysis.StatementKind;
import org.abelian.router.backend.Backend;
import org.abelian.router.execution.DiscardReply;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.execution.ReplyQueue;
import org.abelian.router.execution.RouterWork;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.session.Cancellation;
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

  /** A portal of such a name has the node tell what its snapshot shows, as it is bound. */
  private static final String PORTAL = "abelian/";

  /** What a node answers that has completed a snapshot. */
  private static final String COMPLETED = "completed";

  /** Longer names of portals are cut by PostgreSQL. */
  private static final int NAME_MAX = 63;

  /**
   * Some 30 ms. Where many commit that do not prepare, few rounds meet none half-way, and more of
   * them have not brought more reads.
   */
  private static final int ROUNDS = 12;

  private static final long FIRST_PAUSE_NANOS = 100_000;
  private static final long LONGEST_PAUSE_NANOS = 4_000_000;

  /** After so many the longest pause is reached. */
  private static final int DOUBLINGS = 6;

  /** What is sent to the nodes. */
  interface Read {
    /**
     * Binds it on a node, and has the node's answer taken.
     *
     * @param place of the node in the list
     * @param portal the name that it must have; null for any
     */
    void bind(int place, byte[] portal) throws IOException;

    /** Runs it there, without a look at the answer. */
    void run(int place);

    /** Closes what was bound there, before it is bound anew. */
    void close(int place);

    /** What is bound there. */
    NodePortal portal(int place);
  }

  private final EngineContext context;
  private final RoutedStatement routed;
  private final List<Backend> backends;
  private final List<Integer> nodes;
  private final Read read;
  private final ReadLedger ledger;

  /** Whether it runs before its snapshots are known to fit together. */
  private boolean runsAtOnce;

  /** Whether that ends the group on its nodes. */
  private boolean syncsAtOnce;

  /** Nothing else is under way at any node, so that a Sync ends nothing but the read. */
  private final boolean standsAlone;

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
      Read read,
      boolean runsAtOnce,
      boolean isLast) {
    this.context = context;
    this.routed = routed;
    this.backends = backends;
    this.nodes = Backend.nodes(backends);
    this.read = read;
    this.ledger = context.gate().reads();
    this.standsAlone =
        !context.transactions().state().isOpen() && context.backends().touched().isEmpty();
    this.runsAtOnce = runsAtOnce && standsAlone;
    this.syncsAtOnce = this.runsAtOnce && isLast;
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
      bind(0, null);
      read.run(0);
      return true;
    }
    SeveralNodes.together(context, context.backends().joint(backends, true), this::takeTogether);
    return !context.replies().failed();
  }

  private void takeTogether() throws IOException {
    ReadKnowledge known = isRepeatable(routed) ? ledger.of(nodes) : null;
    if (ledger.isContended(nodes)) {
      runLater();
    }
    if ((known == null || !fitsTogether(known)) && !context.replies().failed()) {
      behindGate();
    }
  }

  /** Rows that would likely be for nothing are not computed before the snapshots fit together. */
  private void runLater() {
    runsAtOnce = false;
    syncsAtOnce = false;
  }

  /** What has come of one round. */
  private enum Outcome {
    /** The snapshots fit together, and will be read. */
    FITS,
    /** Others may. */
    AGAIN,
    /** Others may, if the read takes its turn among independent transactions. */
    TAKE_TURN,
    /** Others may, if the read does not do that. */
    LEAVE_TURN,
    /** A node has failed, or other snapshots would not fit either. */
    HOPELESS
  }

  /**
   * Asks all at once, until the answers fit together; false when they have not. Where independent
   * transactions are run, the read takes its turn among them, if it stands alone.
   */
  private boolean fitsTogether(ReadKnowledge first) throws IOException {
    Cancellation.Watch watch = context.gate().watch();
    ReadKnowledge known = first;
    boolean inTurn = standsAlone && ledger.takesTurn(nodes);
    for (int round = 0; round < ROUNDS && known != null; round++) {
      Outcome outcome =
          inTurn ? roundInTurn(known, round) : judged(known, ask(known, ""), false, round);
      switch (outcome) {
        case FITS -> {
          return true;
        }
        case HOPELESS -> {
          return false;
        }
        case TAKE_TURN, LEAVE_TURN -> inTurn = outcome == Outcome.TAKE_TURN;
        default -> {
          runLater();
          watch.check();
          pause(round);
        }
      }
      known = ledger.of(nodes);
    }
    return false;
  }

  /** Has the nodes take their snapshots at the same place among independent transactions. */
  private Outcome roundInTurn(ReadKnowledge known, int round) throws IOException {
    ReadTurns.Proposal proposal = context.turns().propose(backends, context.replies().timeout());
    ReadTurns.Turn turn = proposal.turn();
    if (turn == null) {
      ledger.leaveTurns(nodes);
      return proposal.isGateShut() ? Outcome.LEAVE_TURN : Outcome.HOPELESS;
    }
    boolean passed = false;
    try {
      ReadKnowledge.Judgement judgement = ask(known, "/" + turn.timestamp());
      passed = !judgement.verdict().isHopeless();
      return judged(known, judgement, true, round);
    } finally {
      if (passed) {
        turn.passed();
      } else {
        turn.settle();
      }
    }
  }

  private Outcome judged(
      ReadKnowledge known, ReadKnowledge.Judgement judgement, boolean inTurn, int round)
      throws IOException {
    if (context.replies().failed()) {
      return Outcome.HOPELESS;
    }
    ReadKnowledge.Verdict verdict = judgement.verdict();
    ledger.learn(nodes, known, judgement.next());
    if (round == 0) {
      ledger.met(nodes, verdict.isHalfWay());
    }
    if (verdict == ReadKnowledge.Verdict.WHOLE || completes(judgement)) {
      if (!runsAtOnce) {
        runAll();
      }
      return Outcome.FITS;
    }
    boolean takesTurn = verdict == ReadKnowledge.Verdict.UNORDERED && standsAlone && !inTurn;
    discard(takesTurn || inTurn);
    if (context.replies().failed()) {
      return Outcome.HOPELESS;
    }
    if (takesTurn) {
      ledger.metIndependent(nodes);
      return Outcome.TAKE_TURN;
    }
    if (verdict == ReadKnowledge.Verdict.UNEVEN) {
      boolean even = context.turns().advance(nodes, judgement.lane());
      return even ? Outcome.AGAIN : Outcome.HOPELESS;
    }
    return verdict.isHopeless() ? Outcome.HOPELESS : Outcome.AGAIN;
  }

  private static void pause(int round) {
    LockSupport.parkNanos(
        Math.min(FIRST_PAUSE_NANOS << Math.min(round, DOUBLINGS), LONGEST_PAUSE_NANOS));
  }

  /**
   * Has the nodes show also those transactions that were ready when they took their snapshots, and
   * that others have shown.
   *
   * @return whether that was the way to make the snapshots fit, and each could do it
   */
  private boolean completes(ReadKnowledge.Judgement judgement) throws IOException {
    if (judgement.verdict() != ReadKnowledge.Verdict.COMPLETABLE || runsAtOnce) {
      return false;
    }
    List<byte[]> names = completed(judgement.missing());
    if (names.stream().anyMatch(name -> name.length > NAME_MAX)) {
      return false;
    }
    List<Integer> asked = new ArrayList<>();
    for (int place = 0; place < backends.size(); place++) {
      List<Integer> missing = judgement.missing().get(place);
      if (!missing.isEmpty()) {
        NodePortal portal = read.portal(place);
        byte[] earlier = portal.name();
        bind(place, names.get(place));
        portal.close(earlier);
        asked.add(place);
      }
    }
    context.backends().requestAnswers();
    context.replies().runAll();
    return !context.replies().failed()
        && asked.stream()
            .allMatch(place -> COMPLETED.equals(backends.get(place).connection.readEvidence()));
  }

  /** Names of portals that complete the snapshots of those that are bound, in the nodes' order. */
  private List<byte[]> completed(List<List<Integer>> missing) {
    List<byte[]> names = new ArrayList<>(missing.size());
    for (int place = 0; place < missing.size(); place++) {
      names.add(SharedSnapshot.completed(context, read.portal(place).name(), missing.get(place)));
    }
    return names;
  }

  /**
   * Asks all at once.
   *
   * @param turn the end of the portals' names, which tells of the read's turn; empty for none
   */
  private ReadKnowledge.Judgement ask(ReadKnowledge known, String turn) throws IOException {
    for (int place = 0; place < backends.size(); place++) {
      bind(place, portal(known.run(place), known.over(place) + turn));
      if (runsAtOnce) {
        read.run(place);
      }
      if (syncsAtOnce) {
        context.backends().sync(backends.get(place));
      }
    }
    context.backends().requestAnswers();
    context.replies().runAll();
    if (context.replies().failed()) {
      return new ReadKnowledge.Judgement(ReadKnowledge.Verdict.UNKNOWN, null);
    }
    List<String> told = told();
    return known.isStill(told)
        ? new ReadKnowledge.Judgement(ReadKnowledge.Verdict.WHOLE, null)
        : known.judge(parsed(told), !turn.isEmpty());
  }

  /** No two portals of a session have the same name. */
  private byte[] portal(String run, String question) {
    String unique = SharedSnapshot.unique(context);
    return (PORTAL + unique + '/' + run + '/' + question).getBytes(StandardCharsets.US_ASCII);
  }

  /** What the nodes have told, in their order; null of those that cannot tell. */
  private List<String> told() {
    List<String> told = new ArrayList<>(backends.size());
    for (int place = 0; place < backends.size(); place++) {
      told.add(backends.get(place).connection.readEvidence());
    }
    return told;
  }

  private static List<ReadEvidence> parsed(List<String> told) {
    List<ReadEvidence> evidence = new ArrayList<>(told.size());
    told.forEach(words -> evidence.add(ReadEvidence.parse(words)));
    return evidence;
  }

  private void bind(int place, byte[] portal) throws IOException {
    SeveralNodes.enter(context, backends.get(place), routed);
    backends.get(place).connection.readEvidence(null);
    read.bind(place, portal);
  }

  private void runAll() {
    for (int place = 0; place < backends.size(); place++) {
      read.run(place);
    }
  }

  /**
   * The nodes forget what they have bound.
   *
   * @param ends whether the group ends on them as well
   */
  private void discard(boolean ends) throws IOException {
    ReplyQueue replies = context.replies();
    boolean syncs = runsAtOnce || ends;
    for (int place = 0; place < backends.size(); place++) {
      if (syncs) {
        context.backends().sync(backends.get(place));
        replies.add(new DiscardReply(backends.get(place).connection));
      } else {
        read.close(place);
      }
    }
    if (syncs) {
      context.backends().flush();
      replies.runAll();
      backends.forEach(context.backends()::untouch);
    }
  }

  /** Has the answers to the Sync taken that went along with it, behind its rows. */
  void end() throws IOException {
    for (Backend backend : backends) {
      if (backend.synced) {
        context.replies().runNow(NodeReply.end(backend.connection));
        context.backends().untouch(backend);
      }
    }
  }

  private void behindGate() throws IOException {
    SnapshotGate.Hold hold = context.gate().take(routed.router().catalog(), nodes);
    boolean bound = false;
    try {
      bindBehind();
      bound = true;
    } finally {
      if (!bound) {
        hold.release();
      }
    }
    context.replies().add(RouterWork.always(hold::release));
    // Until the nodes say that they have bound it the gate is held: they say so before they run it,
    // when they may wait for locks of somebody who waits at the gate.
    for (Backend backend : backends) {
      backend.connection.writer().empty(FrontendType.FLUSH);
    }
    runAll();
  }

  private void bindBehind() throws IOException {
    boolean asks = isRepeatable(routed);
    for (int place = 0; place < backends.size(); place++) {
      bind(place, asks ? portal("", ALL) : null);
    }
    if (asks) {
      context
          .replies()
          .add(
              RouterWork.then(
                  () -> ledger.begin(nodes, ReadKnowledge.behindGates(nodes, parsed(told())))));
    }
  }
}
