package org.abelian.workloads.rubis;

import java.util.Locale;

/** The types of transactions. */
enum RubisType {
  VIEW_AUCTION,
  BROWSE,
  BID,
  OPEN_AUCTION,
  CLOSE_AUCTION,
  COMMENT,
  NEW_USER,
  VIEW_USER;

  /** As results count it. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
