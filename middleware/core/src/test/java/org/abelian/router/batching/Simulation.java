package org.abelian.router.batching;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.abelian.router.analysis.CombinedFacts;
import org.abelian.router.routing.TextValues;

/**
 * Sessions that each add a power of two of their own to one value, in an order drawn from a seed:
 * they arrive, lead, send, are answered, are cancelled, wait too long; the node refuses whatever
 * contains a guilty operation, and is lost now and then before or after it has done its work. The
 * value tells which operations it contains.
 */
final class Simulation {
  /** A way to break the promise. */
  enum Fault {
    NONE,
    ACKNOWLEDGES_BEFORE_THE_COMMIT,
    DROPS_A_MEMBER,
    RUNS_AGAIN_AFTER_SUCCESS,
    TELLS_ALL_OF_ONE_ERROR
  }

  private enum Answer {
    DONE,
    REFUSED,
    UNKNOWN,
    CANCELLED
  }

  private static final int SESSIONS = 40;
  private static final int STEPS = 100_000;

  private final Random random;
  private final Fault fault;
  private final boolean losses;
  private long now;
  private final Batcher<Amounts> batcher;
  private final BatchKey key =
      BatchKey.of(
          "scope", this, new CombinedFacts("UPDATE", List.of(), List.of()), TextValues.NONE);
  private final BitSet guilty = new BitSet();
  private final List<Session> sessions = new ArrayList<>();
  private long value;
  private int statements;

  /** What {@code session.UpdateBatching} does, a step at a time. */
  private final class Session {
    private final int number;
    private Turn<Amounts> member;
    private InFlight alone;
    private Batch<Amounts> batch;
    private boolean cancelAsked;
    private Answer answer;

    Session(int number) {
      this.number = number;
    }

    private long bit() {
      return 1L << number;
    }

    void step() {
      if (alone != null) {
        runAlone();
      } else if (batch != null) {
        runAll();
      } else if (member == null) {
        arrive();
      } else {
        look();
      }
    }

    private void arrive() {
      alone = batcher.depart(key);
      if (alone == null) {
        member = batcher.join(key, new Amounts(List.of(new Amount.Whole(bit(), false))));
      }
    }

    private void look() {
      switch (member.waiter().state()) {
        case LEADS -> {
          batch = member.lead();
          if (batch.size() == 1) {
            alone = batch.alone();
            batch = null;
          }
        }
        case ANSWERED -> take(member.waiter().result());
        case WITHDRAWN -> answer = Answer.CANCELLED;
        case QUEUED -> {
          if (random.nextInt(20) == 0) {
            member.waiter().await(batcher.limits());
          }
        }
        case TAKEN -> {
          // Somebody else's turn.
        }
      }
    }

    private void take(Result result) {
      if (result instanceof Result.Done) {
        answer = Answer.DONE;
        if (fault == Fault.RUNS_AGAIN_AFTER_SUCCESS && value < Long.MAX_VALUE / 4) {
          value += bit();
        }
      } else if (result instanceof Result.Unknown) {
        answer = Answer.UNKNOWN;
      } else if (member.waiter().isCancelled()) {
        answer = Answer.CANCELLED;
      } else if (fault == Fault.TELLS_ALL_OF_ONE_ERROR) {
        answer = Answer.REFUSED;
      } else {
        alone = batcher.departAlone(key);
      }
    }

    private void runAlone() {
      Result result = node(bit());
      alone.end();
      alone = null;
      answer =
          result instanceof Result.Done
              ? Answer.DONE
              : result instanceof Result.Unknown ? Answer.UNKNOWN : Answer.REFUSED;
    }

    private void runAll() {
      long sum = ((Amount.Whole) batch.sum().columns().get(0)).value();
      if (fault == Fault.DROPS_A_MEMBER) {
        sum &= ~Long.highestOneBit(sum);
      }
      Result result = new Result.Undone();
      if (!member.waiter().isCancelled() && batch.begin(() -> {})) {
        result = node(sum);
        batch.end();
      }
      if (fault == Fault.ACKNOWLEDGES_BEFORE_THE_COMMIT) {
        result = new Result.Done(1);
      }
      batch.finish(result);
      batch = null;
      take(result);
    }

    void cancel() {
      if (member != null && answer == null && alone == null && !cancelAsked) {
        cancelAsked = true;
        member.waiter().cancel();
      }
    }
  }

  Simulation(long seed, Fault fault, boolean losses) {
    random = new Random(seed);
    this.fault = fault;
    this.losses = losses;
    BatchLimits limits =
        new BatchLimits(
            2, 2 + random.nextInt(2), 8, 16, 1, 1, random.nextBoolean(), 0, random.nextInt(2));
    batcher = new Batcher<>(limits, () -> now);
    for (int i = 0; i < SESSIONS; i++) {
      sessions.add(new Session(i));
      guilty.set(i, random.nextInt(10) == 0);
    }
  }

  /** One statement: refused if it contains a guilty operation, else it adds. */
  private Result node(long sum) {
    statements++;
    if (losses && random.nextInt(8) == 0) {
      value += random.nextBoolean() && !isGuilty(sum) ? sum : 0;
      return new Result.Unknown("lost");
    }
    if (isGuilty(sum)) {
      return new Result.Undone();
    }
    value += sum;
    return new Result.Done(1);
  }

  private boolean isGuilty(long sum) {
    return BitSet.valueOf(new long[] {sum}).intersects(guilty);
  }

  /** Runs all sessions to their end; gives what is wrong with the answers, or null. */
  String run() {
    List<Session> open = new ArrayList<>(sessions);
    for (int step = 0; step < STEPS && !open.isEmpty(); step++) {
      now += random.nextInt(2);
      Session session = open.get(random.nextInt(open.size()));
      if (random.nextInt(30) == 0) {
        session.cancel();
      }
      session.step();
      if (session.answer != null) {
        open.remove(session);
      }
    }
    if (!open.isEmpty()) {
      return open.size() + " sessions were never answered";
    }
    if (batcher.size() != 0) {
      return "statements are thought to be under way at the end";
    }
    for (Session session : sessions) {
      boolean there = (value & session.bit()) != 0;
      String wrong = wrong(session, there);
      if (wrong != null) {
        return "session " + session.number + " " + wrong;
      }
    }
    return null;
  }

  private String wrong(Session session, boolean there) {
    boolean isGuilty = guilty.get(session.number);
    return switch (session.answer) {
      case DONE -> !there ? "was told that its lost operation is done" : null;
      case REFUSED ->
          there ? "was refused what is there" : isGuilty ? null : "was told another's error";
      case CANCELLED ->
          there ? "was cancelled and is there" : session.cancelAsked ? null : "did not cancel";
      case UNKNOWN -> null;
    };
  }

  /** How many statements the node has got. */
  int statements() {
    return statements;
  }

  /** How many sessions there are. */
  int sessions() {
    return SESSIONS;
  }
}
