package org.abelian.workloads.rubis;

import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.abelian.workloads.client.Script;
import org.abelian.workloads.client.Transaction;
import org.abelian.workloads.client.Transaction.Body;

/** Draws what one user does next, with all inputs. */
final class RubisScript implements Script {
  private static final int BEST_RATING = 5;

  private final RubisOptions options;
  private final Auctions auctions;
  private final AtomicLong nextUser;
  private final SplittableRandom random;

  /**
   * @param nextUser number of the next new user
   */
  RubisScript(RubisOptions options, Auctions auctions, AtomicLong nextUser, long seed) {
    this.options = options;
    this.auctions = auctions;
    this.nextUser = nextUser;
    this.random = new SplittableRandom(seed);
  }

  @Override
  public Transaction next() {
    RubisType type = options.mix().draw(random.nextDouble());
    return switch (type) {
      case OPEN_AUCTION -> open();
      case CLOSE_AUCTION -> close();
      default -> new Transaction(type.label(), body(type));
    };
  }

  private Body body(RubisType type) {
    return switch (type) {
      case VIEW_AUCTION -> RubisTransactions.viewAuction(auctions.item(auction()));
      case BROWSE -> RubisTransactions.browse(category(), region());
      case BID -> bid();
      case COMMENT -> comment();
      case NEW_USER -> RubisTransactions.newUser(nextUser.getAndIncrement(), region());
      case VIEW_USER -> RubisTransactions.viewUser(user());
      default -> throw new IllegalArgumentException(type.label());
    };
  }

  private Body bid() {
    int rank = auction();
    return RubisTransactions.bid(auctions.item(rank), user(), auctions.nextAmount(rank));
  }

  private Body comment() {
    int rating = random.nextInt(-BEST_RATING, BEST_RATING + 1);
    return RubisTransactions.comment(user(), user(), auctions.item(auction()), rating);
  }

  private Transaction open() {
    int rank = auctions.freeRank();
    long item = auctions.newItem();
    return new Transaction(
        RubisType.OPEN_AUCTION.label(),
        RubisTransactions.open(item, user(), category(), region()),
        () -> auctions.open(rank, item));
  }

  private Transaction close() {
    int rank = auctions.ended(auctions.now());
    AtomicBoolean wasOpen = new AtomicBoolean();
    return new Transaction(
        RubisType.CLOSE_AUCTION.label(),
        RubisTransactions.close(auctions.item(rank), wasOpen),
        () -> auctions.close(rank, wasOpen.get()));
  }

  private int auction() {
    return auctions.draw(random, auctions.now());
  }

  private long user() {
    return 1L + random.nextInt(options.users());
  }

  private int category() {
    return 1 + random.nextInt(RubisOptions.CATEGORIES);
  }

  private int region() {
    return 1 + random.nextInt(RubisOptions.REGIONS);
  }
}
