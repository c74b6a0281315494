package org.abelian.workloads.retwis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.abelian.workloads.client.Script;
import org.abelian.workloads.client.Transaction;
import org.abelian.workloads.client.Transaction.Body;

/**
 * Draws what one user does next. Who has looked at a timeline may repost a post of it: most likely
 * the one that was reposted most, half as likely the next one, and so on.
 */
final class RetwisScript implements Script {
  private final RetwisOptions options;
  private final RetwisTransactions transactions;
  private final AtomicLong nextPost;
  private final AtomicLong nextUser;
  private final SplittableRandom random;
  private Transaction following;

  /**
   * @param nextPost number of the next post, also the order of the next repost
   * @param nextUser number of the next new user
   */
  RetwisScript(
      RetwisOptions options,
      RetwisTransactions transactions,
      AtomicLong nextPost,
      AtomicLong nextUser,
      long seed) {
    this.options = options;
    this.transactions = transactions;
    this.nextPost = nextPost;
    this.nextUser = nextUser;
    this.random = new SplittableRandom(seed);
  }

  @Override
  public Transaction next() {
    if (following != null) {
      Transaction repost = following;
      following = null;
      return repost;
    }
    RetwisType type = options.mix().draw(random.nextDouble());
    return type == RetwisType.TIMELINE ? timeline() : new Transaction(type.label(), body(type));
  }

  private Transaction timeline() {
    long user = user();
    List<long[]> shown = new ArrayList<>();
    return new Transaction(
        RetwisType.TIMELINE.label(), transactions.timeline(user, shown), () -> seen(user, shown));
  }

  /**
   * A user has seen posts.
   *
   * @param shown id and number of reposts of each
   */
  void seen(long user, List<long[]> shown) {
    if (shown.isEmpty() || random.nextDouble() >= options.mix().reposted()) {
      return;
    }
    List<long[]> ranked = new ArrayList<>(shown);
    ranked.sort(Comparator.comparingLong((long[] post) -> -post[1]));
    int rank = 0;
    while (rank < ranked.size() - 1 && random.nextBoolean()) {
      rank++;
    }
    following =
        new Transaction(
            RetwisType.REPOST.label(),
            transactions.repost(user, ranked.get(rank)[0], nextPost.getAndIncrement()));
  }

  private Body body(RetwisType type) {
    return switch (type) {
      case POST -> transactions.post(user(), nextPost.getAndIncrement());
      case FOLLOW -> transactions.follow(user(), user());
      case NEW_USER -> transactions.newUser(nextUser.getAndIncrement());
      default -> throw new IllegalArgumentException(type.label());
    };
  }

  private long user() {
    return 1L + random.nextInt(options.users());
  }
}
