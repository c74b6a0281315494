package org.abelian.router.analysis;

/**
 * What FETCH or MOVE asks for.
 *
 * @param forward true for rows after the present one, counted from there
 * @param count how many; negative for the other direction, 0 for the present row
 * @param moves true when the rows themselves are not wanted
 */
public record FetchFacts(boolean forward, long count, boolean moves) {
  /** True when it only goes on. */
  public boolean goesOn() {
    return forward && count > 0;
  }
}
