package org.abelian.workloads.tpcw;

import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.abelian.workloads.random.Zipf;

/**
 * What all browsers share: how popular items are, and the next number of everything. Thread-safe.
 */
final class Shop {
  private final TpcwOptions options;
  private final Zipf popularity;
  private final AtomicLong nextCustomer;
  private final AtomicLong nextOrder;
  private final AtomicLong nextCart = new AtomicLong(1);

  Shop(TpcwOptions options) {
    this.options = options;
    popularity = new Zipf(options.items(), 1);
    nextCustomer = new AtomicLong(options.customers() + 1L);
    nextOrder = new AtomicLong(options.orders() + 1L);
  }

  TpcwOptions options() {
    return options;
  }

  /** An item that somebody is interested in. */
  long item(SplittableRandom random) {
    return popularity.rank(random.nextDouble());
  }

  /** One of the customers of the load. */
  long customer(SplittableRandom random) {
    return 1L + random.nextInt(options.customers());
  }

  long newCustomer() {
    return nextCustomer.getAndIncrement();
  }

  long newOrder() {
    return nextOrder.getAndIncrement();
  }

  long newCart() {
    return nextCart.getAndIncrement();
  }

  /** The number after which orders are recent. */
  long recent() {
    return nextOrder.get() - TpcwOptions.RECENT;
  }

  /** How many of an item are there at the start. */
  static long stock(long item) {
    return 10 + item % 21;
  }

  /** What an item costs at the start. */
  static long cost(long item) {
    return 100 + item % 10_000;
  }
}
