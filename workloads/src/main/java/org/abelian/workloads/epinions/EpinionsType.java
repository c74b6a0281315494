package org.abelian.workloads.epinions;

import java.util.Locale;

/** The types of transactions. */
enum EpinionsType {
  GET_REVIEW_ITEM_BY_ID(10),
  GET_REVIEWS_BY_USER(10),
  GET_AVERAGE_RATING_BY_TRUSTED_USER(10),
  GET_ITEM_AVERAGE_RATING(10),
  GET_ITEM_REVIEWS_BY_TRUSTED_USER(10),
  UPDATE_USER_NAME(10),
  UPDATE_ITEM_TITLE(10),
  UPDATE_REVIEW_RATING(10),
  UPDATE_TRUST_RATING(20);

  private final double percent;

  EpinionsType(double percent) {
    this.percent = percent;
  }

  double percent() {
    return percent;
  }

  /** As results count it. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
