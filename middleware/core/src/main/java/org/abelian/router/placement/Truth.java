package org.abelian.router.placement;

/** What is known of a row's columns may not say whether a condition holds. */
enum Truth {
  TRUE,
  FALSE,
  UNKNOWN
}
