package org.abelian.router.transaction.simulation;

/** Decides what happens next. */
interface Choices {
  /** One of 0 to options - 1; 0 is what happens when nothing special does. */
  int choose(int options);
}
