package org.abelian.workloads.auctionmark;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.abelian.workloads.client.Script;
import org.abelian.workloads.client.Transaction;
import org.abelian.workloads.client.Transaction.Body;
import org.abelian.workloads.random.Mix;

/**
 * Draws what one user does next, with all inputs. Who would pay, judge or answer while there is
 * nothing to looks at an item instead.
 */
final class AuctionMarkScript implements Script {
  private static final Mix<AuctionMarkType> MIX =
      Mix.of(AuctionMarkType.values(), AuctionMarkType::weight);
  private static final Comparator<Item> IN_ORDER =
      Comparator.comparingLong(Item::seller).thenComparingLong(Item::id);

  private final Market market;
  private final AuctionMarkWrites writes;
  private final SplittableRandom random;
  private Transaction following;

  AuctionMarkScript(Market market, AuctionMarkWrites writes, long seed) {
    this.market = market;
    this.writes = writes;
    this.random = new SplittableRandom(seed);
  }

  @Override
  public Transaction next() {
    if (following != null) {
      Transaction post = following;
      following = null;
      return post;
    }
    Transaction drawn = draw(MIX.draw(random.nextDouble()));
    return drawn == null ? of(AuctionMarkType.GET_ITEM, AuctionMarkReads.item(item())) : drawn;
  }

  private Transaction draw(AuctionMarkType type) {
    return switch (type) {
      case NEW_COMMENT -> comment();
      case NEW_COMMENT_RESPONSE -> answer();
      case NEW_FEEDBACK -> judge();
      case NEW_ITEM -> offer();
      case NEW_PURCHASE -> purchase();
      case CHECK_WINNING_BIDS -> check();
      default -> of(type, body(type));
    };
  }

  private static Transaction of(AuctionMarkType type, Body body) {
    return new Transaction(type.label(), body);
  }

  private Body body(AuctionMarkType type) {
    return switch (type) {
      case GET_ITEM -> AuctionMarkReads.item(item());
      case GET_USER_INFO -> AuctionMarkReads.user(user(), list());
      case GET_WATCHED_ITEMS -> AuctionMarkReads.watched(user());
      case GET_COMMENT -> AuctionMarkReads.comments(item());
      case NEW_BID -> bid();
      case NEW_USER ->
          writes.newUser(market.newUser(), 1 + random.nextInt(AuctionMarkOptions.REGIONS));
      case UPDATE_ITEM -> writes.describe(item(), "description " + random.nextInt());
      default -> throw new IllegalArgumentException(type.label());
    };
  }

  private Body bid() {
    Item item = item();
    return writes.bid(item, market.userBut(item.seller(), random), market.newNumber());
  }

  private Transaction comment() {
    Question question = new Question(item(), market.newNumber());
    long buyer = market.userBut(question.item().seller(), random);
    return new Transaction(
        AuctionMarkType.NEW_COMMENT.label(),
        writes.comment(question, buyer),
        () -> market.asked(question));
  }

  private Transaction answer() {
    Question question = market.nextToAnswer();
    return question == null
        ? null
        : of(AuctionMarkType.NEW_COMMENT_RESPONSE, writes.answer(question));
  }

  private Transaction judge() {
    Sale sale = market.nextToJudge();
    return sale == null
        ? null
        : of(AuctionMarkType.NEW_FEEDBACK, writes.judge(sale, random.nextInt(-1, 2)));
  }

  private Transaction offer() {
    Item item = new Item(user(), market.newItem());
    int category = 1 + random.nextInt(AuctionMarkOptions.CATEGORIES);
    return new Transaction(
        AuctionMarkType.NEW_ITEM.label(),
        writes.offer(item, category, market.newNumber()),
        () -> market.offered(item));
  }

  private Transaction purchase() {
    Sale sale = market.nextToPay();
    return sale == null
        ? null
        : new Transaction(
            AuctionMarkType.NEW_PURCHASE.label(),
            writes.purchase(sale, market.newNumber()),
            () -> market.bought(sale));
  }

  private Transaction check() {
    List<Item> found = new ArrayList<>();
    return new Transaction(
        AuctionMarkType.CHECK_WINNING_BIDS.label(),
        AuctionMarkReads.ended(market.clock(), found),
        () -> found(found));
  }

  /** Items are ended in the order of their keys, so that no two clients wait in a circle. */
  private void found(List<Item> items) {
    if (items.isEmpty()) {
      return;
    }
    List<Item> inOrder = items.stream().sorted(IN_ORDER).toList();
    List<Item> ended = new ArrayList<>();
    List<Sale> sales = new ArrayList<>();
    following =
        new Transaction(
            AuctionMarkType.POST_AUCTION.label(),
            writes.post(inOrder, ended, sales),
            () -> {
              ended.forEach(market::ended);
              sales.forEach(market::won);
            });
  }

  private String list() {
    return AuctionMarkReads.LISTS.get(random.nextInt(AuctionMarkReads.LISTS.size()));
  }

  private Item item() {
    return market.item(random);
  }

  private long user() {
    return market.user(random);
  }
}
