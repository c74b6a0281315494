package org.abelian.workloads.auctionmark;

import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.IntStream;
import org.abelian.workloads.random.Zipf;

/**
 * What all users of the site know: which auctions are open and how popular they are, what waits for
 * somebody to do something, and the next number of everything. Thread-safe.
 */
final class Market {
  private final AuctionMarkOptions options;
  private final Zipf popularity;
  private final AtomicReferenceArray<Item> open;
  private final Queue<Integer> free = new ConcurrentLinkedQueue<>();
  private final Queue<Sale> won = new ConcurrentLinkedQueue<>();
  private final Queue<Sale> bought = new ConcurrentLinkedQueue<>();
  private final Queue<Question> asked = new ConcurrentLinkedQueue<>();
  private final AtomicLong nextItem;
  private final AtomicLong nextUser;
  private final AtomicLong nextNumber = new AtomicLong(1);

  Market(AuctionMarkOptions options, long seed) {
    this.options = options;
    popularity = new Zipf(options.items(), 1);
    SplittableRandom random = new SplittableRandom(seed);
    open = new AtomicReferenceArray<>(options.items());
    IntStream.range(0, options.items())
        .forEach(rank -> open.set(rank, new Item(user(random), rank + 1L)));
    nextItem = new AtomicLong(options.items() + 1L);
    nextUser = new AtomicLong(options.users() + 1L);
  }

  /** One of the users of the load. */
  long user(SplittableRandom random) {
    return 1L + random.nextInt(options.users());
  }

  /** One of the users of the load who is not this one. */
  long userBut(long user, SplittableRandom random) {
    long other = 1L + random.nextInt(options.users() - 1);
    return other < user ? other : other + 1;
  }

  /** The item of a rank of popularity, from 0. */
  Item item(int rank) {
    return open.get(rank);
  }

  /** An item that somebody is interested in; its auction may have ended just now. */
  Item item(SplittableRandom random) {
    return item(popularity.rank(random.nextDouble()) - 1);
  }

  /** How many bids the load gives to the item of a rank. */
  int bidsAtStart(int rank) {
    double share = popularity.share(rank + 1);
    return (int) Math.round(share * options.items() * AuctionMarkOptions.BIDS_PER_ITEM);
  }

  /** The number of a new item, whose auction ends when the clock shows it. */
  long newItem() {
    return nextItem.getAndIncrement();
  }

  /** Items that were offered since the start: the time by which auctions end. */
  long clock() {
    return nextItem.get() - options.items() - 1;
  }

  long newUser() {
    return nextUser.getAndIncrement();
  }

  /** The number of a new bid, comment, purchase or picture; a later bid also offers more. */
  long newNumber() {
    return nextNumber.getAndIncrement();
  }

  /** An item is offered, with the popularity of one whose auction has ended, if there is one. */
  void offered(Item item) {
    Integer rank = free.poll();
    if (rank != null) {
      open.set(rank, item);
    }
  }

  /** An auction has ended. Whoever was quick enough to ask for its item finds it ended. */
  void ended(Item item) {
    for (int rank = 0; rank < open.length(); rank++) {
      if (open.get(rank).equals(item)) {
        free.add(rank);
        return;
      }
    }
  }

  /** Somebody is to pay. */
  void won(Sale sale) {
    won.add(sale);
  }

  /** Who is to pay next; null for nobody. */
  Sale nextToPay() {
    return won.poll();
  }

  /** A sale is done, and buyer and seller may judge each other. */
  void bought(Sale sale) {
    bought.add(sale);
  }

  /** The next sale that somebody judges; null for none. */
  Sale nextToJudge() {
    return bought.poll();
  }

  void asked(Question question) {
    asked.add(question);
  }

  /** The next question that is answered; null for none. */
  Question nextToAnswer() {
    return asked.poll();
  }
}
