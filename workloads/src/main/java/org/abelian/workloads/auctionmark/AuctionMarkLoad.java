package org.abelian.workloads.auctionmark;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.abelian.workloads.database.CopyInto;
import org.abelian.workloads.random.Permutation;
import org.abelian.workloads.workload.Columns;

/** The rows at the start: all auctions are open. */
final class AuctionMarkLoad {
  private static final String NONE = "\\N";

  private final Connection connection;
  private final AuctionMarkOptions options;
  private final Market market;
  private final Columns columns;
  private final SplittableRandom random;
  private final int[] waiting;

  AuctionMarkLoad(
      Connection connection,
      AuctionMarkOptions options,
      Market market,
      Columns columns,
      long seed) {
    this.connection = connection;
    this.options = options;
    this.market = market;
    this.columns = columns;
    this.random = new SplittableRandom(seed);
    waiting = new int[options.users() + 1];
  }

  void load() throws SQLException {
    names("region", AuctionMarkOptions.REGIONS);
    names("category", AuctionMarkOptions.CATEGORIES);
    comments();
    users();
    watches();
    bidsAndItems();
  }

  private void names(String table, int rows) throws SQLException {
    CopyInto.numbered(connection, table, rows, id -> new Object[] {id, table + " " + id});
  }

  /** One comment on each item, which waits for an answer. */
  private void comments() throws SQLException {
    try (CopyInto copy = new CopyInto(connection, "item_comment")) {
      for (int rank = 0; rank < options.items(); rank++) {
        Item item = market.item(rank);
        Question question = new Question(item, market.newNumber());
        long buyer = market.userBut(item.seller(), random);
        copy.row(question.number(), item.id(), item.seller(), buyer, "a question", NONE);
        waiting[(int) item.seller()]++;
        market.asked(question);
      }
      copy.finish();
    }
  }

  private void users() throws SQLException {
    CopyInto.numbered(
        connection,
        "useracct",
        options.users(),
        user ->
            new Object[] {
              user, 1 + random.nextInt(AuctionMarkOptions.REGIONS), 0, 0, waiting[user]
            });
    CopyInto.numbered(
        connection,
        "useracct_attributes",
        options.users(),
        user -> new Object[] {user, user, "attribute", "value"});
  }

  private void watches() throws SQLException {
    try (CopyInto copy = new CopyInto(connection, "useracct_watch")) {
      for (int user = 1; user <= options.users(); user++) {
        int[] ranks =
            random
                .ints(0, options.items())
                .distinct()
                .limit(AuctionMarkOptions.WATCHED_PER_USER)
                .toArray();
        for (int rank : ranks) {
          copy.row(user, market.item(rank).id(), market.item(rank).seller());
        }
      }
      copy.finish();
    }
  }

  private void bidsAndItems() throws SQLException {
    long[] highest = bids();
    items(highest);
    highestBids(highest);
  }

  /** The bids; the number of the highest one for each rank, which is also its amount. */
  private long[] bids() throws SQLException {
    long[] highest = new long[options.items()];
    try (CopyInto copy = new CopyInto(connection, "item_bid")) {
      for (int rank = 0; rank < options.items(); rank++) {
        Item item = market.item(rank);
        for (int bid = market.bidsAtStart(rank); bid > 0; bid--) {
          highest[rank] = market.newNumber();
          long buyer = market.userBut(item.seller(), random);
          copy.row(highest[rank], item.id(), item.seller(), buyer, highest[rank]);
        }
      }
      copy.finish();
    }
    return highest;
  }

  private void items(long[] highest) throws SQLException {
    int[] ends = Permutation.draw(options.items(), random);
    try (CopyInto copy = new CopyInto(connection, "item")) {
      for (int rank = 0; rank < options.items(); rank++) {
        Item item = market.item(rank);
        copy.row(
            item.id(),
            item.seller(),
            1 + random.nextInt(AuctionMarkOptions.CATEGORIES),
            "item " + item.id(),
            "a description",
            1 + ends[rank],
            0,
            market.bidsAtStart(rank),
            1,
            highest[rank] == 0 ? NONE : highest[rank]);
      }
      copy.finish();
    }
  }

  private void highestBids(long[] highest) throws SQLException {
    try (CopyInto copy = new CopyInto(connection, "item_max_bid")) {
      for (int rank = 0; rank < options.items(); rank++) {
        Item item = market.item(rank);
        if (columns == Columns.ABELIAN) {
          copy.row(item.id(), item.seller(), top(highest[rank]));
        } else {
          copy.row(
              item.id(), item.seller(), highest[rank], highest[rank] == 0 ? NONE : highest[rank]);
        }
      }
      copy.finish();
    }
  }

  /** Text of a top_k of one entry, or none. */
  private static String top(long bid) {
    return IntStream.range(0, bid == 0 ? 0 : 1)
        .mapToObj(one -> "{\"score\": %1$d, \"item\": \"%1$d\"}".formatted(bid))
        .collect(Collectors.joining(", ", "{\"k\": 1, \"top\": [", "]}"));
  }
}
