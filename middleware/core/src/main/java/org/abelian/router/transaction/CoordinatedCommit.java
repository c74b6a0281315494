package org.abelian.router.transaction;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;

/**
 * Commits a transaction that is open on one or more nodes. With more than one writer this is a
 * two-phase commit whose decision lies at one of the writers; docs/protocols/coordinated.md has the
 * algorithm and the argument for its safety. Safe for several threads, one call per transaction.
 */
public final class CoordinatedCommit {
  /**
   * Once the commit is under way, no call over a control connection begins later than this after
   * the first message of a step. A call takes up to 5.5 s itself, so the step takes 10 s at most.
   */
  static final Duration CALL_LIMIT = Duration.ofMillis(4_500);

  /** How often a lost decision is asked for at most, with {@link #RETRY_PAUSE} between. */
  private static final int SETTLE_TRIES = 3;

  /** How long all others together may take to answer that they have committed what is decided. */
  static final Duration TELL_LIMIT = Duration.ofSeconds(4);

  /** How long those that are told last may take at least. */
  static final Duration LAST_LIMIT = Duration.ofSeconds(1);

  /** How often a prepared transaction that is busy is tried again. */
  private static final int BUSY_TRIES = 5;

  /**
   * How long the work behind an early vote may take. It must be far below the age at which aborts
   * are swept ({@link DecisionRetention#SWEEP_AGE}): so no abort of this transaction was forgotten
   * before the holder's decision was there.
   */
  static final Duration EARLY_VOTE_LIMIT = Duration.ofHours(1);

  private static final Duration RETRY_PAUSE = Duration.ofMillis(250);
  private static final Duration BUSY_PAUSE = Duration.ofMillis(20);
  private static final LaneClock NO_CLOCK = new LaneClock(0);
  private static final String NOT_PREPARED = "42704";
  private static final String DECISION_KEY = "decision_pkey";

  private final ControlNetwork network;
  private final GidSource gids;
  private final CommitLedger ledger;
  private final Pause pause;

  /** One for each router. */
  public CoordinatedCommit(
      ControlNetwork network, GidSource gids, CommitLedger ledger, Pause pause) {
    this.network = network;
    this.gids = gids;
    this.ledger = ledger;
    this.pause = pause;
  }

  /** Commits. Afterwards no participant has the transaction open, unless its connection is lost. */
  public CommitOutcome commit(CommitRequest request) {
    return request.writers().size() > 1 ? commitAll(request) : commitSingle(request);
  }

  private CommitOutcome commitSingle(CommitRequest request) {
    LockHolders locks = new LockHolders(request.lockHolders(), pause);
    Votes votes = new Votes(request.readers().size() + request.lockHolders().size());
    request.readers().forEach(reader -> reader.send(CommitCommands.endRead(request)));
    locks.ask();
    request.readers().forEach(reader -> votes.take(reader, reader.await(), "COMMIT"));
    locks.answer(votes);
    if (votes.refusal() != null) {
      request.writers().forEach(CoordinatedCommit::rollBack);
      locks.rollBack();
      return votes.refusal();
    }
    CommitOutcome outcome =
        request.writers().isEmpty()
            ? new CommitOutcome.Committed(List.of())
            : commitOnly(request.writers().get(0), request.token(), votes);
    return locks.end(outcome);
  }

  private CommitOutcome commitOnly(Participant writer, String token, Votes votes) {
    writer.send("COMMIT");
    Answer answer = writer.await();
    if (answer instanceof Answer.Lost lost) {
      return outcomeOfLostCommit(token, writer.nodeId(), lost.reason());
    }
    votes.take(writer, answer, "COMMIT");
    return votes.refusal() != null ? votes.refusal() : new CommitOutcome.Committed(List.of());
  }

  /**
   * The answer to a COMMIT of a single node whose connection was lost: asks the node what became of
   * it, boundedly.
   *
   * @param token the node's abelian.transaction_id for the transaction, or null
   */
  public CommitOutcome outcomeOfLostCommit(String token, int node, String reason) {
    Deadline deadline = Deadline.in(CALL_LIMIT, pause);
    for (int attempt = 0; token != null && mayAsk(attempt, deadline); attempt++) {
      switch (askOutcome(node, token)) {
        case COMMITTED:
          return new CommitOutcome.Committed(List.of());
        case ABORTED:
          return lostAndRolledBack(node);
        default:
          break;
      }
    }
    return unknown(token, node, reason);
  }

  /** Whether to ask, after a pause unless it is the first time. */
  private boolean mayAsk(int attempt, Deadline deadline) {
    if (attempt == 0) {
      return true;
    }
    if (attempt >= SETTLE_TRIES || deadline.isOver()) {
      return false;
    }
    pause.pause(RETRY_PAUSE);
    return true;
  }

  private TransactionStatus askOutcome(int node, String token) {
    try {
      return network.outcome(node, token);
    } catch (NodeUnreachableException unreachable) {
      return TransactionStatus.UNKNOWN;
    }
  }

  private static List<Integer> nodes(List<Participant> writers) {
    return writers.stream().map(Participant::nodeId).toList();
  }

  private CommitOutcome commitAll(CommitRequest request) {
    Participant holder = request.writers().get(0);
    List<Participant> others = request.writers().subList(1, request.writers().size());
    Gid gid = gids.next(holder.nodeId(), request.session(), nodes(request.writers()));
    LockHolders locks = new LockHolders(request.lockHolders(), pause);
    ledger.begin(gid);
    boolean everywhere = false;
    try {
      ConflictCheck conflicts =
          request.serializable()
              ? ConflictCheck.of(gid, request.writers())
              : ConflictCheck.notNeeded();
      if (conflicts.refusal() != null) {
        request.writers().forEach(CoordinatedCommit::rollBack);
        request.readers().forEach(CoordinatedCommit::rollBack);
        locks.rollBack();
        return conflicts.refusal();
      }
      Votes votes = vote(gid, conflicts, others, request.readers(), locks);
      if (votes.refusal() != null) {
        rollBack(holder);
        locks.rollBack();
        rollBackPrepared(gid, others, votes);
        return votes.refusal();
      }
      LaneClock clock = LaneClock.of(others);
      String sql = conflicts.settled(holder, CommitCommands.decide(gid, holder) + "; COMMIT");
      Decided decided = decide(gid, holder, told(gid, holder, clock, sql));
      if (decided.refusal() != null) {
        locks.rollBack();
        if (!(decided.refusal() instanceof CommitOutcome.Unknown)) {
          rollBackPrepared(gid, others, votes);
        }
        return decided.refusal();
      }
      List<String> warnings = tell(gid, others, request.last(), clock.and(decided.clock()));
      everywhere = warnings.isEmpty();
      locks.release();
      return new CommitOutcome.Committed(warnings);
    } finally {
      ledger.end(gid, everywhere);
    }
  }

  /**
   * Names a commit whose vote is about to travel with the work.
   *
   * @param writers the holder first
   */
  public EarlyVote voteEarly(List<Integer> writers, long session) {
    Gid gid = gids.next(writers.get(0), session, writers);
    ledger.begin(gid);
    return new EarlyVote(gid, System.nanoTime());
  }

  /**
   * Commits what all others have prepared and the holder has decided in its open transaction.
   *
   * @param request whose others are those that have answered PREPARE TRANSACTION with success
   */
  public CommitOutcome commitEarly(EarlyVote early, CommitRequest request) {
    Gid gid = early.gid();
    Participant holder = request.writers().get(0);
    List<Participant> others = request.writers().subList(1, request.writers().size());
    List<Participant> readers = request.readers();
    LockHolders locks = new LockHolders(request.lockHolders(), pause);
    if (holder.nodeId() != gid.holder()) {
      throw AbelianException.internal("another holder than " + gid + " names", null);
    }
    boolean everywhere = false;
    try {
      readers.forEach(reader -> reader.send("COMMIT"));
      locks.ask();
      Votes votes = new Votes(readers.size() + others.size());
      readers.forEach(reader -> votes.take(reader, reader.await(), "COMMIT"));
      locks.answer(votes);
      others.forEach(other -> votes.take(other, new Answer.Done("prepared"), "prepared"));
      LaneClock clock = LaneClock.of(others);
      CommitOutcome refusal =
          System.nanoTime() - early.askedNanos() > EARLY_VOTE_LIMIT.toNanos()
              ? recoveredFirst()
              : votes.refusal();
      Decided decided = new Decided(refusal, 0);
      if (refusal == null) {
        boolean ahead = clock.isAheadOf(holder.laneClock());
        String commit = ahead ? told(gid, holder, clock, "COMMIT") : "COMMIT";
        decided = decide(gid, holder, commit);
      } else {
        rollBack(holder);
      }
      if (decided.refusal() != null) {
        locks.rollBack();
        if (!(decided.refusal() instanceof CommitOutcome.Unknown)) {
          rollBackPrepared(gid, others, votes);
        }
        return decided.refusal();
      }
      List<String> warnings = tell(gid, others, request.last(), clock.and(decided.clock()));
      everywhere = warnings.isEmpty();
      locks.release();
      return new CommitOutcome.Committed(warnings);
    } finally {
      ledger.end(gid, everywhere);
    }
  }

  /**
   * Undoes an early vote; the holder is rolled back by the caller, before or after.
   *
   * @param others those that may have prepared
   */
  public void abandon(EarlyVote early, List<Participant> others) {
    try {
      String sql = "ROLLBACK PREPARED '" + early.gid() + "'";
      others.forEach(other -> other.send(sql));
      for (Participant other : others) {
        Answer answer = other.await();
        boolean undone =
            answer instanceof Answer.Done
                || answer instanceof Answer.Failed failed && failed.sqlState().equals(NOT_PREPARED);
        if (!undone) {
          finish(early.gid(), other.nodeId(), false, NO_CLOCK);
        }
      }
    } finally {
      ledger.end(early.gid(), false);
    }
  }

  private static Votes vote(
      Gid gid,
      ConflictCheck conflicts,
      List<Participant> others,
      List<Participant> readers,
      LockHolders locks) {
    for (Participant other : others) {
      String prepare = String.join("; ", CommitCommands.prepare(gid, other));
      other.send(conflicts.settled(other, prepare));
    }
    readers.forEach(reader -> reader.send("COMMIT"));
    locks.ask();
    Votes votes = new Votes(others.size() + readers.size());
    others.forEach(other -> votes.take(other, other.await(), "PREPARE TRANSACTION"));
    readers.forEach(reader -> votes.take(reader, reader.await(), "COMMIT"));
    locks.answer(votes);
    return votes;
  }

  /**
   * What came of the decision.
   *
   * @param refusal null when the decision to commit is durable
   * @param clock how far the holder's lane had come then
   */
  private record Decided(CommitOutcome refusal, long clock) {}

  private Decided decide(Gid gid, Participant holder, String sql) {
    holder.send(sql);
    Answer answer = holder.await();
    if (answer instanceof Answer.Done done && done.tag().equals("COMMIT")) {
      return new Decided(null, holder.laneClock());
    }
    if (answer instanceof Answer.Lost lost) {
      CommitOutcome refusal = settle(gid, lost.reason()).orElse(null);
      return new Decided(refusal, refusal == null ? askClock(gid.holder()) : 0);
    }
    rollBack(holder);
    if (answer instanceof Answer.Failed failed) {
      return new Decided(
          DECISION_KEY.equals(failed.constraint())
              ? recoveredFirst()
              : new CommitOutcome.RolledBackByNode(holder.nodeId(), failed),
          0);
    }
    return new Decided(new CommitOutcome.RolledBackSilently(), 0);
  }

  private long askClock(int node) {
    try {
      return network.laneClock(node);
    } catch (NodeUnreachableException unreachable) {
      return 0; // It crashed again: its lane opens behind those of all others.
    }
  }

  /**
   * Finds out what became of a decision whose answer was lost, by making sure that there is one.
   */
  private Optional<CommitOutcome> settle(Gid gid, String reason) {
    Deadline deadline = Deadline.in(CALL_LIMIT, pause);
    for (int attempt = 0; mayAsk(attempt, deadline); attempt++) {
      try {
        return network.settle(gid)
            ? Optional.empty()
            : Optional.of(lostAndRolledBack(gid.holder()));
      } catch (NodeUnreachableException unreachable) {
        // The next try, or recovery.
      }
    }
    return Optional.of(unknown(gid.toString(), gid.holder(), reason));
  }

  /** The statements, and before them what the others have met. */
  private static String told(Gid gid, Participant node, LaneClock clock, String sql) {
    return clock.isAheadOf(0) ? advance(gid, node, clock) + "; " + sql : sql;
  }

  private static String advance(Gid gid, Participant node, LaneClock clock) {
    return CommitCommands.advance(clock, gid.session().router(), node);
  }

  /**
   * Commits what is prepared, after what the others have met; returns a warning for each node that
   * could not be told.
   *
   * @param last those that are told when the rest has committed
   */
  private List<String> tell(
      Gid gid, List<Participant> others, List<Participant> last, LaneClock clock) {
    Deadline answers = Deadline.in(TELL_LIMIT, pause);
    Deadline calls = Deadline.in(CALL_LIMIT, pause);
    List<Participant> first = new ArrayList<>(others);
    first.removeAll(last);
    List<Participant> untold = new ArrayList<>(tell(gid, first, clock, answers));
    // Also when others could not be told: that they are told in time matters more than the order.
    Deadline own =
        answers.left().compareTo(LAST_LIMIT) < 0 ? Deadline.in(LAST_LIMIT, pause) : answers;
    untold.addAll(tell(gid, last, clock, own));
    untold.removeIf(other -> !calls.isOver() && finish(gid, other.nodeId(), true, clock));
    return untold.stream()
        .map(
            other ->
                "the transaction is committed, but "
                    + network.describe(other.nodeId())
                    + " could not be told yet: its part becomes visible when recovery reaches it")
        .toList();
  }

  /** Gives those that have not answered that they have committed. */
  private static List<Participant> tell(
      Gid gid, List<Participant> others, LaneClock clock, Deadline answers) {
    String sql = "COMMIT PREPARED '" + gid + "'";
    for (Participant other : others) {
      if (clock.isAheadOf(other.laneClock())) {
        other.send(advance(gid, other, clock));
      }
      other.send(sql);
    }
    List<Participant> untold = new ArrayList<>(others);
    untold.removeIf(
        other -> {
          if (clock.isAheadOf(other.laneClock())) {
            other.await(answers.left()); // what is lost here is lost to the next answer, too
          }
          return isTold(other.await(answers.left()));
        });
    return untold;
  }

  private static boolean isTold(Answer answer) {
    // Recovery may have been faster, and with this decision it can only have committed.
    return answer instanceof Answer.Done
        || answer instanceof Answer.Failed failed && failed.sqlState().equals(NOT_PREPARED);
  }

  /** One more try over a control connection, several while somebody else is at it. */
  private boolean finish(Gid gid, int node, boolean commit, LaneClock clock) {
    for (int attempt = 0; attempt < BUSY_TRIES; attempt++) {
      try {
        if (clock.isAheadOf(0)) {
          network.advance(node, clock);
        }
        if (network.finish(node, gid, commit) != Finish.BUSY) {
          return true;
        }
      } catch (NodeUnreachableException unreachable) {
        return false;
      }
      pause.pause(BUSY_PAUSE);
    }
    return false;
  }

  /** Rolls back those that voted yes; what cannot be reached is left to recovery. */
  private void rollBackPrepared(Gid gid, List<Participant> others, Votes votes) {
    String sql = "ROLLBACK PREPARED '" + gid + "'";
    others.stream().filter(votes::saidYes).forEach(other -> other.send(sql));
    for (Participant other : others) {
      if (!votes.saidYes(other)) {
        rollBack(other);
      } else if (!(other.await() instanceof Answer.Done)) {
        finish(gid, other.nodeId(), false, NO_CLOCK);
      }
    }
  }

  private static void rollBack(Participant participant) {
    if (participant.inTransaction()) {
      participant.send("ROLLBACK");
      participant.await();
    }
  }

  private CommitOutcome lostAndRolledBack(int node) {
    return new CommitOutcome.RolledBack(
        new AbelianException(
            SqlState.SERIALIZATION_FAILURE,
            "the connection to "
                + network.describe(node)
                + " was lost during COMMIT; the transaction is rolled back",
            "Try the transaction again."));
  }

  private static CommitOutcome recoveredFirst() {
    return new CommitOutcome.RolledBack(
        new AbelianException(
            SqlState.SERIALIZATION_FAILURE,
            "the commit took so long that recovery rolled the transaction back",
            "Try the transaction again."));
  }

  private CommitOutcome unknown(String token, int node, String reason) {
    String detail = token == null ? null : "The transaction's token is " + token + ".";
    String hint =
        token == null
            ? "Look at the data to find out."
            : "Ask later: SELECT abelian.transaction_outcome('" + token + "')";
    return new CommitOutcome.Unknown(
        new AbelianException(
            SqlState.TRANSACTION_RESOLUTION_UNKNOWN,
            "whether the transaction is committed is not known: "
                + network.describe(node)
                + " was lost during COMMIT ("
                + reason
                + ")",
            detail,
            hint,
            null));
  }
}
