package org.abelian.workloads.rubis;

import java.time.Duration;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.IntStream;
import org.abelian.workloads.random.Zipf;

/**
 * What all users of the site know: which auctions are open, how popular they are, when they end,
 * and what was bid. Thread-safe.
 *
 * <p>Ranks of popularity stay; the item of a rank changes when its auction is closed and another
 * one is opened. Times are in cycles, from the start on.
 */
final class Auctions {
  private static final int RISE = 4;
  private static final int MOST_DRAWS = 64;

  private final long startNanos = System.nanoTime();
  private final long cycleNanos;
  private final Zipf popularity;
  private final double[] ends;
  private final int[] byEnd;
  private final AtomicLongArray itemOfRank;
  private final AtomicLongArray amountOfRank;
  private final AtomicLong nextItem;
  private final Queue<Integer> closed = new ConcurrentLinkedQueue<>();

  /**
   * @param cycle in which the auction of every rank ends once
   * @param seed of the times at which auctions end
   */
  Auctions(int items, Duration cycle, long seed) {
    cycleNanos = cycle.toNanos();
    popularity = new Zipf(items, 1);
    SplittableRandom random = new SplittableRandom(seed);
    ends = random.doubles(items).toArray();
    byEnd =
        IntStream.range(0, items)
            .boxed()
            .sorted((one, other) -> Double.compare(ends[one], ends[other]))
            .mapToInt(Integer::intValue)
            .toArray();
    itemOfRank = new AtomicLongArray(IntStream.range(0, items).mapToLong(i -> i + 1).toArray());
    amountOfRank =
        new AtomicLongArray(
            IntStream.range(0, items).mapToLong(rank -> amount(bidsAtStart(rank))).toArray());
    nextItem = new AtomicLong(items + 1L);
  }

  /** The present time. */
  double now() {
    return (System.nanoTime() - startNanos) / (double) cycleNanos;
  }

  /** How many bids the load gives a rank: ten for each item, by their popularity. */
  int bidsAtStart(int rank) {
    return (int) Math.round(popularity.share(rank + 1) * ends.length * RubisOptions.BIDS_PER_ITEM);
  }

  /** Amount of the bid of such a number, from 1; each is greater than the one before. */
  static long amount(int bid) {
    return 100L + 10L * bid;
  }

  /** A rank that somebody is interested in: popular ones, and those whose auction ends soon. */
  int draw(SplittableRandom random, double now) {
    int rank = 0;
    for (int i = 0; i < MOST_DRAWS; i++) {
      rank = popularity.rank(random.nextDouble()) - 1;
      if (random.nextDouble() < Math.exp(-RISE * remaining(rank, now))) {
        break;
      }
    }
    return rank;
  }

  /** The part of a cycle until the auction of a rank ends. */
  double remaining(int rank, double now) {
    double left = (ends[rank] - now) % 1;
    return left < 0 ? left + 1 : left;
  }

  /** The rank whose auction has ended last. */
  int ended(double now) {
    int low = 0;
    int high = byEnd.length;
    while (low < high) {
      int middle = (low + high) / 2;
      if (ends[byEnd[middle]] <= now % 1) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return byEnd[(low + byEnd.length - 1) % byEnd.length];
  }

  /** The present item of a rank. */
  long item(int rank) {
    return itemOfRank.get(rank);
  }

  /** A bid above all that were made for a rank. */
  long nextAmount(int rank) {
    return amountOfRank.addAndGet(rank, 10);
  }

  /** The rank of popularity that a new auction gets; -1 for none. */
  int freeRank() {
    Integer rank = closed.poll();
    return rank == null ? -1 : rank;
  }

  /** The number of a new item. */
  long newItem() {
    return nextItem.getAndIncrement();
  }

  /**
   * A rank's auction is closed.
   *
   * @param wasOpen whether it was open until now
   */
  void close(int rank, boolean wasOpen) {
    if (wasOpen) {
      closed.add(rank);
    }
  }

  /**
   * A new auction is open.
   *
   * @param rank whose popularity it gets; -1 for none
   */
  void open(int rank, long item) {
    if (rank >= 0) {
      itemOfRank.set(rank, item);
    }
  }
}
