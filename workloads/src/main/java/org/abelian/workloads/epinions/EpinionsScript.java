package org.abelian.workloads.epinions;

import java.util.SplittableRandom;
import org.abelian.workloads.client.Script;
import org.abelian.workloads.client.Transaction;
import org.abelian.workloads.client.Transaction.Body;
import org.abelian.workloads.random.Mix;

/** Draws what one user does next, with all inputs. */
final class EpinionsScript implements Script {
  private static final Mix<EpinionsType> MIX = Mix.of(EpinionsType.values(), EpinionsType::percent);

  private final Opinions opinions;
  private final SplittableRandom random;

  EpinionsScript(Opinions opinions, long seed) {
    this.opinions = opinions;
    this.random = new SplittableRandom(seed);
  }

  @Override
  public Transaction next() {
    EpinionsType type = MIX.draw(random.nextDouble());
    return new Transaction(type.label(), body(type));
  }

  private Body body(EpinionsType type) {
    return switch (type) {
      case GET_REVIEW_ITEM_BY_ID -> EpinionsTransactions.reviewsOfItem(item());
      case GET_REVIEWS_BY_USER -> EpinionsTransactions.reviewsByUser(user());
      case GET_AVERAGE_RATING_BY_TRUSTED_USER ->
          EpinionsTransactions.averageByTrusted(item(), user());
      case GET_ITEM_AVERAGE_RATING -> EpinionsTransactions.average(item());
      case GET_ITEM_REVIEWS_BY_TRUSTED_USER ->
          EpinionsTransactions.reviewsByTrusted(item(), user());
      case UPDATE_USER_NAME -> EpinionsTransactions.rename(user(), text("user"));
      case UPDATE_ITEM_TITLE -> EpinionsTransactions.retitle(item(), text("item"));
      case UPDATE_REVIEW_RATING -> rate();
      case UPDATE_TRUST_RATING -> trust();
    };
  }

  private Body rate() {
    int item = item();
    int rating = 1 + random.nextInt(EpinionsOptions.BEST_RATING);
    return EpinionsTransactions.rate(item, any(opinions.reviewers(item)), rating);
  }

  private Body trust() {
    int source = user();
    return EpinionsTransactions.trust(source, any(opinions.trusted(source)), random.nextInt(2));
  }

  private int any(int[] numbers) {
    return numbers[random.nextInt(numbers.length)];
  }

  private int item() {
    return opinions.item(random);
  }

  private int user() {
    return opinions.user(random);
  }

  private String text(String what) {
    return what + " " + random.nextInt(1_000_000);
  }
}
