package org.abelian.router.engine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.abelian.router.backend.Backend;
import org.abelian.router.execution.DiscardReply;
import org.abelian.router.execution.ReplyQueue;
import org.abelian.router.session.Cancellation;
import org.abelian.router.session.ReadKnowledge;
import org.abelian.router.session.ReadLedger;

/**
 * The rounds in which several nodes are asked for the snapshots of a read, until these fit together
 * (docs/protocols/reads.md). No gate is held.
 */
final class ValidatedSnapshot {
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

  private final EngineContext context;
  private final List<Backend> backends;
  private final List<Integer> nodes;
  private final JointRead read;
  private final SnapshotQuestion question;
  private final ReadLedger ledger;

  /** Whether it runs before its snapshots are known to fit together. */
  private boolean runsAtOnce;

  /** Whether that ends the group on its nodes. */
  private boolean syncsAtOnce;

  /** Nodes that should have been asked, too, as the last answers have said. */
  private Set<Integer> outside = Set.of();

  /** The last answers, which did not fit, would not do so when it is tried again. */
  private boolean isHopeless;

  /** Nothing else is under way at any node, so that a Sync ends nothing but the read. */
  private final boolean standsAlone;

  /**
   * Nothing is sent yet.
   *
   * @param runsAtOnce whether it may run before its snapshots are known to fit together
   * @param isLast whether these nodes are asked nothing else in this group of messages: then the
   *     answer to its Sync comes with the rows
   */
  ValidatedSnapshot(
      EngineContext context,
      List<Backend> backends,
      JointRead read,
      SnapshotQuestion question,
      boolean runsAtOnce,
      boolean isLast) {
    this.context = context;
    this.backends = backends;
    this.nodes = Backend.nodes(backends);
    this.read = read;
    this.question = question;
    this.ledger = context.gate().reads();
    this.standsAlone =
        !context.transactions().state().isOpen() && context.backends().touched().isEmpty();
    this.runsAtOnce = runsAtOnce && standsAlone && !ledger.isContended(nodes);
    this.syncsAtOnce = this.runsAtOnce && isLast;
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
    /** Others may, if more nodes are asked. */
    ASK_MORE,
    /** A node has failed, or other snapshots would not fit either. */
    HOPELESS
  }

  /**
   * Asks all at once, until the answers fit together; false when they have not. Where independent
   * transactions are run, the read takes its turn among them, if it stands alone.
   */
  boolean fitsTogether(ReadKnowledge first, Cancellation.Watch watch) throws IOException {
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
          isHopeless = true;
          return false;
        }
        case ASK_MORE -> {
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

  /**
   * When the answers have not fitted: nodes that have to be asked as well; empty when that would
   * not help.
   */
  Set<Integer> outside() {
    return outside;
  }

  /** True when the nodes cannot tell, or the read would have to take turns and may not. */
  boolean isHopeless() {
    return isHopeless;
  }

  /** Has the nodes take their snapshots at the same place among independent transactions. */
  private Outcome roundInTurn(ReadKnowledge known, int round) throws IOException {
    backends.forEach(context.backends()::connect); // Witnesses have given theirs back.
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
        question.runAll();
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
    outside = judgement.outside();
    if (!outside.isEmpty() && round > 0 && ledger.mayHaveWitnesses(nodes)) {
      return Outcome.ASK_MORE;
    }
    if (verdict == ReadKnowledge.Verdict.UNKNOWN) {
      ledger.forget(nodes, known);
      return Outcome.AGAIN; // Unless nothing else is known.
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
      if (!missing.isEmpty() && read.reads(place)) { // A witness shows no rows.
        NodePortal portal = read.portal(place);
        byte[] earlier = portal.name();
        question.bind(place, names.get(place));
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
      List<Integer> there = read.reads(place) ? missing.get(place) : List.of();
      names.add(SharedSnapshot.completed(context, read.portal(place).name(), there));
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
      question.bind(
          place, SnapshotQuestion.portal(context, known.run(place), known.over(place) + turn));
      if (runsAtOnce) {
        read.run(place);
      }
      if (syncsAtOnce && read.reads(place)) {
        context.backends().sync(backends.get(place));
      }
    }
    question.answer();
    if (context.replies().failed()) {
      return new ReadKnowledge.Judgement(ReadKnowledge.Verdict.UNKNOWN, null);
    }
    List<String> told = question.told();
    return known.isStill(told)
        ? new ReadKnowledge.Judgement(ReadKnowledge.Verdict.WHOLE, null)
        : known.judge(SnapshotQuestion.parsed(told), !turn.isEmpty());
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
      if (!read.reads(place)) {
        continue; // It has nothing any more.
      }
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
      for (int place = 0; place < backends.size(); place++) {
        if (read.reads(place)) {
          context.backends().untouch(backends.get(place));
        }
      }
    }
  }
}
