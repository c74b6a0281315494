package org.abelian.workloads.rubis;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.SplittableRandom;
import org.abelian.workloads.database.CopyInto;

/** The rows at the start. */
final class RubisLoad {
  private final Connection connection;
  private final RubisOptions options;
  private final Auctions auctions;
  private final SplittableRandom random;

  RubisLoad(Connection connection, RubisOptions options, Auctions auctions, long seed) {
    this.connection = connection;
    this.options = options;
    this.auctions = auctions;
    this.random = new SplittableRandom(seed);
  }

  void load() throws SQLException {
    names("regions", RubisOptions.REGIONS);
    names("categories", RubisOptions.CATEGORIES);
    users();
    items();
    bids();
  }

  private void names(String table, int rows) throws SQLException {
    CopyInto.numbered(connection, table, rows, id -> new Object[] {id, table + " " + id});
  }

  private void users() throws SQLException {
    CopyInto.numbered(
        connection,
        "users",
        options.users(),
        id -> new Object[] {id, "user" + id, 1 + random.nextInt(RubisOptions.REGIONS), 0, 0});
  }

  private void items() throws SQLException {
    try (CopyInto copy = new CopyInto(connection, "items")) {
      for (int rank = 0; rank < options.items(); rank++) {
        int bids = auctions.bidsAtStart(rank);
        copy.row(
            auctions.item(rank),
            "item" + auctions.item(rank),
            1 + random.nextInt(options.users()),
            1 + random.nextInt(RubisOptions.CATEGORIES),
            1 + random.nextInt(RubisOptions.REGIONS),
            false,
            "\\N",
            bids,
            bids == 0 ? "\\N" : Auctions.amount(bids));
      }
      copy.finish();
    }
  }

  private void bids() throws SQLException {
    try (CopyInto copy = new CopyInto(connection, "bids")) {
      for (int rank = 0; rank < options.items(); rank++) {
        int bids = auctions.bidsAtStart(rank);
        for (int bid = 1; bid <= bids; bid++) {
          copy.row(auctions.item(rank), 1 + random.nextInt(options.users()), Auctions.amount(bid));
        }
      }
      copy.finish();
    }
  }
}
