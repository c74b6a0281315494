package org.abelian.workloads.epinions;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.SplittableRandom;
import org.abelian.workloads.database.CopyInto;

/** The rows at the start. */
final class EpinionsLoad {
  private final Connection connection;
  private final EpinionsOptions options;
  private final Opinions opinions;
  private final SplittableRandom random;
  private final int[] total;
  private final int[] trusted;

  EpinionsLoad(Connection connection, EpinionsOptions options, Opinions opinions, long seed) {
    this.connection = connection;
    this.options = options;
    this.opinions = opinions;
    this.random = new SplittableRandom(seed);
    total = new int[options.items() + 1];
    trusted = new int[options.users() + 1];
  }

  void load() throws SQLException {
    reviews();
    reviewRatings();
    trusts();
    items();
    users();
  }

  /** The reviews; each has a number of its own. */
  private void reviews() throws SQLException {
    int number = 0;
    try (CopyInto copy = new CopyInto(connection, "review")) {
      for (int item = 1; item <= options.items(); item++) {
        for (int user : opinions.reviewers(item)) {
          int rating = 1 + random.nextInt(EpinionsOptions.BEST_RATING);
          total[item] += rating;
          copy.row(++number, user, item, rating);
        }
      }
      copy.finish();
    }
  }

  /** One rating of each review. */
  private void reviewRatings() throws SQLException {
    CopyInto.numbered(
        connection,
        "review_rating",
        (int) opinions.reviews(),
        number ->
            new Object[] {
              opinions.user(random), number, 1 + random.nextInt(EpinionsOptions.BEST_RATING)
            });
  }

  private void trusts() throws SQLException {
    try (CopyInto copy = new CopyInto(connection, "trust")) {
      for (int user = 1; user <= options.users(); user++) {
        for (int target : opinions.trusted(user)) {
          int trust = random.nextInt(2);
          trusted[target] += trust;
          copy.row(user, target, trust);
        }
      }
      copy.finish();
    }
  }

  private void items() throws SQLException {
    CopyInto.numbered(
        connection,
        "item",
        options.items(),
        item -> new Object[] {item, "item " + item, opinions.reviewers(item).length, total[item]});
  }

  private void users() throws SQLException {
    CopyInto.numbered(
        connection,
        "useracct",
        options.users(),
        user -> new Object[] {user, "user " + user, trusted[user]});
  }
}
