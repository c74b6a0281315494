package org.abelian.router.combining;

/** A session's own statement that is under way. Ends exactly once, whatever becomes of it. */
public final class Flight {
  private Hotspot<?> hotspot;

  Flight(Hotspot<?> hotspot) {
    this.hotspot = hotspot;
  }

  /** The statement is answered, or will not be. */
  public void end() {
    Hotspot<?> mine = hotspot;
    hotspot = null;
    if (mine != null) {
      mine.depart();
    }
  }
}
