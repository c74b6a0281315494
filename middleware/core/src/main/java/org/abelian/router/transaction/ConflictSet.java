package org.abelian.router.transaction;

/**
 * On which sides a transaction has rw-conflicts on a node.
 *
 * @param in another one has read what it has changed
 * @param out another one has changed what it has read
 */
record ConflictSet(boolean in, boolean out) {
  /** What a node tells. */
  static ConflictSet of(String word) {
    return switch (word) {
      case "none" -> new ConflictSet(false, false);
      case "in" -> new ConflictSet(true, false);
      case "out" -> new ConflictSet(false, true);
      default -> new ConflictSet(true, true);
    };
  }

  /** As nodes read it. */
  @Override
  public String toString() {
    return in ? out ? "both" : "in" : out ? "out" : "none";
  }
}
