package org.abelian.advisor.sample;

import static org.abelian.advisor.sample.SampleTables.table;
import static org.abelian.advisor.sample.Statements.texts;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.abelian.advisor.trace.TraceTable;
import org.abelian.advisor.trace.TraceWriter;

/**
 * EPinions as BenchBase has it: users who review items and trust other users. Nine transactions, of
 * which half write; users and items are drawn uniformly, reviewers and trusted users of the loaded
 * data by Zipf's law.
 */
public final class EpinionsSample implements Sample {
  private static final int USERS = 2000;
  private static final int ITEMS = 1000;
  private static final int MOST_REVIEWS = 500;
  private static final int MOST_TRUSTS = 200;

  /** As in YCSB, whose generator BenchBase uses. */
  private static final double SKEW = 0.99;

  /** A review as it was loaded. */
  private record Review(int id, int user, int item) {}

  private final int users;
  private final int items;
  private final Random random;
  private final List<List<Review>> ofItem = new ArrayList<>();
  private final List<List<Review>> ofUser = new ArrayList<>();
  private final List<List<Integer>> trusted = new ArrayList<>();

  /**
   * A generator.
   *
   * @param scale 1 has 2,000 users and 1,000 items
   */
  public EpinionsSample(int scale, long seed) {
    users = USERS * scale;
    items = ITEMS * scale;
    random = new Random(seed);
    loadReviews(scale);
    loadTrusts(scale);
  }

  private void loadReviews(int scale) {
    Zipf count = new Zipf(MOST_REVIEWS * scale, 1.8);
    Zipf reviewer = new Zipf(users, SKEW);
    for (int user = 0; user < users; user++) {
      ofUser.add(new ArrayList<>());
    }
    int number = 0;
    for (int item = 0; item < items; item++) {
      List<Review> reviews = new ArrayList<>();
      for (int user : several(Math.max(1, count.next(random)), () -> reviewer.next(random))) {
        Review review = new Review(number++, user, item);
        reviews.add(review);
        ofUser.get(user).add(review);
      }
      ofItem.add(reviews);
    }
  }

  /** Who is trusted often has nothing to do with who reviews often. */
  private void loadTrusts(int scale) {
    Zipf count = new Zipf(MOST_TRUSTS * scale, 1.95);
    Zipf rank = new Zipf(users, SKEW);
    for (int user = 0; user < users; user++) {
      trusted.add(
          several(count.next(random), () -> (int) (rank.next(random) * 2654435761L % users)));
    }
  }

  private List<Integer> several(int count, java.util.function.IntSupplier one) {
    TreeSet<Integer> found = new TreeSet<>();
    for (int tries = 0; found.size() < count && tries < 20 * count; tries++) {
      found.add(one.getAsInt());
    }
    return List.copyOf(found);
  }

  @Override
  public List<TraceTable> tables() {
    return List.of(
        table("useracct", 40, 1, "u_id"),
        table("item", 140, 1, "i_id"),
        table("review", 30, 0, "a_id", "u_id", "i_id"),
        table("review_rating", 30, 0, "u_id", "a_id"),
        table("trust", 20, 0, "source_u_id", "target_u_id"));
  }

  @Override
  public void transaction(TraceWriter writer) {
    int user = random.nextInt(users);
    int item = random.nextInt(items);
    Statements statements = new Statements();
    int dice = random.nextInt(100);
    if (dice < 10) {
      statements.read("item", "i_id", item);
      readOfItem(statements, item);
      writer.add("GetReviewItemById", texts(item), true, statements.all());
    } else if (dice < 20) {
      statements.read("useracct", "u_id", user);
      ofUser.get(user).stream().limit(10).forEach(one -> readReview(statements, one, "u_id"));
      if (ofUser.get(user).isEmpty()) {
        statements.read("review", "u_id", user);
      }
      writer.add("GetReviewsByUser", texts(user), true, statements.all());
    } else if (dice < 30) {
      // Joined in the benchmark; here the one after the other, as a procedure would.
      readTrusts(statements, user);
      readOfItem(statements, item);
      writer.add("GetAverageRatingByTrustedUser", texts(item, user), true, statements.all());
    } else if (dice < 40) {
      readOfItem(statements, item);
      writer.add("GetItemAverageRating", texts(item), true, statements.all());
    } else if (dice < 50) {
      readOfItem(statements, item);
      readTrusts(statements, user);
      writer.add("GetItemReviewsByTrustedUser", texts(item, user), true, statements.all());
    } else if (dice < 60) {
      statements.write("useracct", "u_id", user);
      writer.add("UpdateUserName", texts(user), true, statements.all());
    } else if (dice < 70) {
      statements.write("item", "i_id", item);
      writer.add("UpdateItemTitle", texts(item), true, statements.all());
    } else if (dice < 80) {
      statements.write("review", "u_id", user, "i_id", item);
      writer.add("UpdateReviewRating", texts(item, user), true, statements.all());
    } else {
      int target = random.nextInt(users);
      statements.write("trust", "source_u_id", user, "target_u_id", target);
      writer.add("UpdateTrustRating", texts(user, target), true, statements.all());
    }
  }

  private void readOfItem(Statements statements, int item) {
    ofItem.get(item).stream().limit(10).forEach(one -> readReview(statements, one, "i_id"));
  }

  private static void readReview(Statements statements, Review review, String by) {
    statements.read("review", "u_id", review.user(), "i_id", review.item()).by(by);
  }

  private void readTrusts(Statements statements, int user) {
    statements.read("trust", "source_u_id", user);
  }

  /** Everything everywhere. */
  @Override
  public Manual manual(int nodes) {
    return Manual.empty().replicate("useracct", "item", "review", "review_rating", "trust");
  }
}
