package org.abelian.workloads.retwis;

import java.util.Locale;

/** The types of transactions. */
enum RetwisType {
  TIMELINE,
  REPOST,
  POST,
  FOLLOW,
  NEW_USER;

  /** As results count it. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
