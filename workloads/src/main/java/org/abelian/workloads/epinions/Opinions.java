package org.abelian.workloads.epinions;

import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.abelian.workloads.random.Zipf;

/**
 * Who has reviewed what and who is asked about whom: the same for the same seed. Items and users
 * are numbered from 1.
 */
final class Opinions {
  private final EpinionsOptions options;
  private final Zipf popularity;
  private final int[][] reviewers;
  private final int[][] trusted;

  Opinions(EpinionsOptions options, long seed) {
    this.options = options;
    popularity = new Zipf(options.items(), 1);
    SplittableRandom random = new SplittableRandom(seed);
    reviewers =
        IntStream.rangeClosed(1, options.items())
            .mapToObj(item -> drawReviewers(item, random))
            .toArray(int[][]::new);
    Zipf fame = new Zipf(options.users(), 1);
    int most = Math.min(EpinionsOptions.TRUSTED_PER_USER, options.users() / 4);
    trusted =
        IntStream.range(0, options.users())
            .mapToObj(
                user ->
                    IntStream.generate(() -> fame.rank(random.nextDouble()))
                        .distinct()
                        .limit(1 + random.nextInt(most))
                        .toArray())
            .toArray(int[][]::new);
  }

  /** Ever fewer towards items of higher numbers; an item has at least one, and one of each user. */
  private int[] drawReviewers(int item, SplittableRandom random) {
    double share = popularity.share(item) * options.items() * EpinionsOptions.REVIEWS_PER_ITEM;
    int reviews = (int) Math.max(1, Math.min(Math.round(share), options.users() / 2));
    return random.ints(1, options.users() + 1).distinct().limit(reviews).toArray();
  }

  /** The users who have reviewed an item. */
  int[] reviewers(int item) {
    return reviewers[item - 1];
  }

  /** The users whom a user has an opinion about. */
  int[] trusted(int user) {
    return trusted[user - 1];
  }

  /** An item that somebody asks for. */
  int item(SplittableRandom random) {
    return popularity.rank(random.nextDouble());
  }

  /** Any user. */
  int user(SplittableRandom random) {
    return 1 + random.nextInt(options.users());
  }

  long reviews() {
    return IntStream.range(0, reviewers.length).mapToLong(i -> reviewers[i].length).sum();
  }

  long trusts() {
    return IntStream.range(0, trusted.length).mapToLong(i -> trusted[i].length).sum();
  }
}
