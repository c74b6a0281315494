package org.abelian.workloads.tpcw;

import java.util.SplittableRandom;
import org.abelian.workloads.client.Script;
import org.abelian.workloads.client.Transaction;
import org.abelian.workloads.client.Transaction.Body;

/** Draws what one browser does next, with all inputs. It has one cart at a time. */
final class TpcwScript implements Script {
  private static final int PERCENT = 100;
  private static final int RETURNING = 80;
  private static final int MOST_OF_AN_ITEM = 3;
  private static final long DEAREST = 10_000;

  private final Shop shop;
  private final SplittableRandom random;
  private long cart;
  private boolean filled;

  TpcwScript(Shop shop, long seed) {
    this.shop = shop;
    this.random = new SplittableRandom(seed);
  }

  @Override
  public Transaction next() {
    TpcwType type = shop.options().mix().draw(random.nextDouble());
    return switch (type) {
      case SHOPPING_CART -> fill();
      case BUY_REQUEST -> filled ? request() : fill();
      case BUY_CONFIRM -> filled ? confirm() : fill();
      default -> new Transaction(type.label(), body(type));
    };
  }

  private Body body(TpcwType type) {
    return switch (type) {
      case HOME -> TpcwReads.home(customer(), item());
      case NEW_PRODUCTS -> TpcwReads.newest(subject());
      case BEST_SELLERS -> TpcwReads.bestSellers(subject(), shop.recent());
      case PRODUCT_DETAIL, ADMIN_REQUEST -> TpcwReads.detail(item());
      case SEARCH_REQUEST -> TpcwReads.advertised(item());
      case SEARCH_RESULTS -> search();
      case CUSTOMER_REGISTRATION, ORDER_INQUIRY -> TpcwReads.customer(customer());
      case ORDER_DISPLAY -> TpcwReads.lastOrder(customer());
      case ADMIN_CONFIRM -> TpcwWrites.change(item(), 1 + random.nextLong(DEAREST), shop.recent());
      default -> throw new IllegalArgumentException(type.label());
    };
  }

  private Body search() {
    return switch (random.nextInt(3)) {
      case 0 -> TpcwReads.search(TpcwReads.BY_SUBJECT, subject());
      case 1 -> TpcwReads.search(TpcwReads.BY_TITLE, "title" + item() + "%");
      default ->
          TpcwReads.search(
              TpcwReads.BY_AUTHOR, "last" + (1 + random.nextInt(shop.options().authors())) + "%");
    };
  }

  private Transaction fill() {
    boolean isNew = !filled;
    long number = isNew ? shop.newCart() : cart;
    int quantity = 1 + random.nextInt(MOST_OF_AN_ITEM);
    return new Transaction(
        TpcwType.SHOPPING_CART.label(),
        TpcwWrites.fill(number, isNew, item(), quantity),
        () -> {
          cart = number;
          filled = true;
        });
  }

  private Transaction request() {
    Body body =
        random.nextInt(PERCENT) < RETURNING
            ? TpcwWrites.login(customer(), cart)
            : TpcwWrites.register(shop.newCustomer(), country(), cart);
    return new Transaction(TpcwType.BUY_REQUEST.label(), body);
  }

  private Transaction confirm() {
    return new Transaction(
        TpcwType.BUY_CONFIRM.label(),
        TpcwWrites.buy(shop.newOrder(), customer(), cart, country()),
        () -> filled = false);
  }

  private long item() {
    return shop.item(random);
  }

  private long customer() {
    return shop.customer(random);
  }

  private int subject() {
    return 1 + random.nextInt(TpcwOptions.SUBJECTS);
  }

  private int country() {
    return 1 + random.nextInt(TpcwOptions.COUNTRIES);
  }
}
