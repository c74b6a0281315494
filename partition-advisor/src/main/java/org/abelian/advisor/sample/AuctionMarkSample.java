package org.abelian.advisor.sample;

import static org.abelian.advisor.sample.SampleTables.table;
import static org.abelian.advisor.sample.Statements.texts;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.abelian.advisor.trace.TraceTable;
import org.abelian.advisor.trace.TraceWriter;

/**
 * AuctionMark as BenchBase has it, with the weights of its sample configuration: users sell items,
 * bid, watch, buy, comment and give feedback. How many items a seller has follows Zipf's law;
 * buyers are drawn uniformly.
 */
public final class AuctionMarkSample implements Sample {
  private static final int USERS = 1000;
  private static final int MOST_ITEMS = 1000;

  /** Items that clients remember and choose from. */
  private static final int REMEMBERED = 1000;

  /** Rows that a listing shows. */
  private static final int SHOWN = 25;

  /** In a hundred: GetItem, GetUserInfo, NewBid, NewComment, and so on. */
  private static final int[] WEIGHTS = {45, 10, 20, 2, 1, 4, 10, 5, 3};

  /** An item for sale. */
  private static final class Item {
    private final int seller;
    private final long number;
    private int bids;
    private int comments;
    private int buyer;

    Item(int seller, long number) {
      this.seller = seller;
      this.number = number;
    }
  }

  private final int users;
  private final Random random;
  private final List<List<Item>> selling = new ArrayList<>();
  private final List<List<Item>> watched = new ArrayList<>();
  private final List<List<Item>> bought = new ArrayList<>();
  private final List<Integer> sellers = new ArrayList<>();
  private final List<Item> open = new ArrayList<>();
  private final List<Item> sold = new ArrayList<>();
  private final List<Item> commented = new ArrayList<>();
  private int nextPurchase = 1;

  /**
   * A generator.
   *
   * @param scale thousands of users
   */
  public AuctionMarkSample(int scale, long seed) {
    users = USERS * scale;
    random = new Random(seed);
    Zipf counts = new Zipf(MOST_ITEMS + 1, 2);
    for (int user = 0; user < users; user++) {
      selling.add(new ArrayList<>());
      watched.add(new ArrayList<>());
      bought.add(new ArrayList<>());
    }
    for (int seller = 0; seller < users; seller++) {
      for (int i = counts.next(random); i > 0; i--) {
        Item item = offer(seller);
        for (int days = 1 + random.nextInt(10); days > 0; days--) {
          bid(item, other(seller));
          watched.get(other(seller)).add(item);
        }
        if (random.nextBoolean()) {
          open.remove(item);
          bought.get(item.buyer).add(item);
          sold.add(item);
        }
      }
      if (!selling.get(seller).isEmpty()) {
        sellers.add(seller);
      }
    }
  }

  private Item offer(int seller) {
    Item item = new Item(seller, (long) seller << 16 | selling.get(seller).size());
    selling.get(seller).add(item);
    open.add(item);
    return item;
  }

  private static void bid(Item item, int buyer) {
    item.bids++;
    item.buyer = buyer;
  }

  private int other(int user) {
    int other = random.nextInt(users - 1);
    return other < user ? other : other + 1;
  }

  @Override
  public List<TraceTable> tables() {
    return List.of(
        table("useracct", 400, 1, "u_id:bigint"),
        table("useracct_feedback", 60, 4, names("uf_u_id", "uf_i_id", "uf_i_u_id", "uf_from_id")),
        table("useracct_item", 70, 3, names("ui_u_id", "ui_i_id", "ui_i_u_id")),
        table("useracct_watch", 40, 3, names("uw_u_id", "uw_i_id", "uw_i_u_id")),
        table("region", 30, 1, "r_id:bigint"),
        table("category", 60, 1, "c_id:bigint"),
        table("global_attribute_group", 40, 1, "gag_id:bigint"),
        table("item", 600, 2, names("i_id", "i_u_id")),
        table("item_attribute", 40, 3, names("ia_id", "ia_i_id", "ia_u_id")),
        table("item_image", 40, 3, names("ii_id", "ii_i_id", "ii_u_id")),
        table("item_comment", 150, 3, names("ic_id", "ic_i_id", "ic_u_id")),
        table("item_bid", 80, 3, names("ib_id", "ib_i_id", "ib_u_id")),
        table("item_max_bid", 60, 2, names("imb_i_id", "imb_u_id")),
        table("item_purchase", 60, 4, names("ip_id", "ip_ib_id", "ip_ib_i_id", "ip_ib_u_id")));
  }

  private static String[] names(String... columns) {
    return java.util.Arrays.stream(columns).map(name -> name + ":bigint").toArray(String[]::new);
  }

  @Override
  public void transaction(TraceWriter writer) {
    int dice = random.nextInt(100);
    int which = 0;
    while (dice >= WEIGHTS[which]) {
      dice -= WEIGHTS[which++];
    }
    Statements statements = new Statements();
    switch (which) {
      case 0 -> getItem(writer, statements, any(open));
      case 1 -> getUserInfo(writer, statements);
      case 2 -> newBid(writer, statements);
      case 3 -> newComment(writer, statements);
      case 4 -> newCommentResponse(writer, statements);
      case 5 -> newFeedback(writer, statements);
      case 6 -> newItem(writer, statements);
      case 7 -> newPurchase(writer, statements);
      default -> updateItem(writer, statements);
    }
  }

  /** One of those that clients remember, the latest. */
  private Item any(List<Item> items) {
    int remembered = Math.min(REMEMBERED, items.size());
    return items.get(items.size() - 1 - random.nextInt(remembered));
  }

  private void getItem(TraceWriter writer, Statements statements, Item item) {
    readItem(statements, item).read("useracct", "u_id", item.seller);
    writer.add("GetItem", texts(item.number, item.seller), true, statements.all());
  }

  private static Statements readItem(Statements statements, Item item) {
    return statements.read("item", "i_id", item.number, "i_u_id", item.seller);
  }

  private static Statements changeItem(Statements statements, Item item) {
    return statements.write("item", "i_id", item.number, "i_u_id", item.seller);
  }

  private void getUserInfo(TraceWriter writer, Statements statements) {
    int user = random.nextInt(users);
    statements.read("useracct", "u_id", user).read("region", "r_id", user % 75);
    if (random.nextInt(100) < 25) {
      statements.read("useracct_feedback", "uf_u_id", user);
    }
    if (random.nextInt(100) < 10) {
      statements.read("item", "i_u_id", user).read("item_comment", "ic_u_id", user);
    }
    if (random.nextInt(100) < 10) {
      statements.read("item", "i_u_id", user);
    }
    if (random.nextInt(100) < 10) {
      statements.read("useracct_item", "ui_u_id", user);
      list(statements, bought.get(user));
    }
    if (random.nextInt(100) < 10) {
      statements.read("useracct_watch", "uw_u_id", user);
      list(statements, watched.get(user));
    }
    writer.add("GetUserInfo", texts(user), false, statements.all());
  }

  private static void list(Statements statements, List<Item> items) {
    int found = statements.last();
    items.stream().limit(SHOWN).forEach(item -> readItem(statements, item).after(found));
  }

  private void newBid(TraceWriter writer, Statements statements) {
    Item item = any(open);
    int buyer = other(item.seller);
    readItem(statements, item);
    statements.read("item_max_bid", "imb_i_id", item.number, "imb_u_id", item.seller);
    if (item.bids > 0) {
      statements
          .read("item_bid", "ib_id", item.bids, "ib_i_id", item.number, "ib_u_id", item.seller)
          .after(1);
    }
    bid(item, buyer);
    statements
        .write("item_bid", "ib_id", item.bids, "ib_i_id", item.number, "ib_u_id", item.seller)
        .after(0);
    statements.write("item_max_bid", "imb_i_id", item.number, "imb_u_id", item.seller);
    changeItem(statements, item);
    writer.add("NewBid", texts(item.number, item.seller, buyer), false, statements.all());
  }

  private void newComment(TraceWriter writer, Statements statements) {
    Item item = any(sold);
    item.comments++;
    commented.add(item);
    statements.read("item_comment", "ic_i_id", item.number, "ic_u_id", item.seller);
    comment(statements, item);
    changeItem(statements, item);
    writer.add("NewComment", texts(item.number, item.seller), false, statements.all());
  }

  private static void comment(Statements statements, Item item) {
    statements.write(
        "item_comment", "ic_id", item.comments, "ic_i_id", item.number, "ic_u_id", item.seller);
  }

  private void newCommentResponse(TraceWriter writer, Statements statements) {
    Item item = commented.isEmpty() ? any(sold) : any(commented);
    comment(statements, item);
    statements.write("useracct", "u_id", item.seller);
    writer.add("NewCommentResponse", texts(item.number, item.seller), true, statements.all());
  }

  private void newFeedback(TraceWriter writer, Statements statements) {
    Item item = any(sold);
    int buyer = other(item.seller);
    boolean ofSeller = random.nextBoolean();
    int user = ofSeller ? item.seller : buyer;
    int from = ofSeller ? buyer : item.seller;
    Object[] feedback = {
      "uf_u_id", user, "uf_i_id", item.number, "uf_i_u_id", item.seller, "uf_from_id", from
    };
    statements
        .read("useracct_feedback", feedback)
        .which(access -> access.deciding())
        .write("useracct_feedback", feedback)
        .write("useracct", "u_id", user);
    writer.add("NewFeedback", texts(user, item.number, from), true, statements.all());
  }

  private void newItem(TraceWriter writer, Statements statements) {
    int seller = sellers.get(random.nextInt(sellers.size()));
    Item item = offer(seller);
    statements
        .read("category", "c_id", random.nextInt(500))
        .read("global_attribute_group", "gag_id", random.nextInt(100));
    changeItem(statements, item);
    for (int i = 1 + random.nextInt(5); i > 0; i--) {
      statements.write("item_attribute", "ia_id", i, "ia_i_id", item.number, "ia_u_id", seller);
    }
    for (int i = 1 + random.nextInt(5); i > 0; i--) {
      statements.write("item_image", "ii_id", i, "ii_i_id", item.number, "ii_u_id", seller);
    }
    statements.write("useracct", "u_id", seller);
    writer.add("NewItem", texts(item.number, seller), true, statements.all());
  }

  private void newPurchase(TraceWriter writer, Statements statements) {
    Item item = any(open);
    open.remove(item);
    sold.add(item);
    if (item.bids == 0) {
      bid(item, other(item.seller));
    }
    bought.get(item.buyer).add(item);
    statements.read("item_max_bid", "imb_i_id", item.number, "imb_u_id", item.seller);
    readItem(statements, item);
    statements
        .read("item_bid", "ib_id", item.bids, "ib_i_id", item.number, "ib_u_id", item.seller)
        .after(0)
        // Whether the buyer has the money.
        .read("useracct", "u_id", item.buyer)
        .which(access -> access.after(List.of(2)).deciding())
        .write(
            "item_purchase",
            "ip_id",
            nextPurchase++,
            "ip_ib_id",
            item.bids,
            "ip_ib_i_id",
            item.number,
            "ip_ib_u_id",
            item.seller);
    changeItem(statements, item);
    statements
        .write(
            "useracct_item",
            "ui_u_id",
            item.buyer,
            "ui_i_id",
            item.number,
            "ui_i_u_id",
            item.seller)
        .write("useracct", "u_id", item.buyer)
        .which(access -> access.retyped("useracct.u_balance abelian.decimal_counter"))
        .write("useracct", "u_id", item.seller)
        .which(access -> access.retyped("useracct.u_balance abelian.decimal_counter"));
    writer.add("NewPurchase", texts(item.number, item.seller), false, statements.all());
  }

  private void updateItem(TraceWriter writer, Statements statements) {
    Item item = any(open);
    changeItem(statements, item).which(access -> access.deciding());
    if (random.nextInt(100) < 25) {
      statements.write("item_attribute", "ia_i_id", item.number, "ia_u_id", item.seller);
    }
    writer.add("UpdateItem", texts(item.number, item.seller), true, statements.all());
  }

  /** Each user with all that is theirs, the items they sell among it; the rest everywhere. */
  @Override
  public Manual manual(int nodes) {
    return Manual.empty()
        .replicate("region", "category", "global_attribute_group")
        .hash("useracct", "u_id")
        .hash("useracct_feedback", "uf_u_id")
        .hash("useracct_item", "ui_u_id")
        .hash("useracct_watch", "uw_u_id")
        .hash("item", "i_u_id")
        .hash("item_attribute", "ia_u_id")
        .hash("item_image", "ii_u_id")
        .hash("item_comment", "ic_u_id")
        .hash("item_bid", "ib_u_id")
        .hash("item_max_bid", "imb_u_id")
        .hash("item_purchase", "ip_ib_u_id");
  }
}
