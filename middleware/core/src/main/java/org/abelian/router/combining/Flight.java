package org.abelian.router.combining;

/** A statement that is under way. Ends exactly once, whatever becomes of it. */
public final class Flight {
  private Hotspot<?> hotspot;

  /** When it began, among all that came to the hotspot; guarded by the hotspot's lock. */
  private long number;

  Flight(Hotspot<?> hotspot) {
    this.hotspot = hotspot;
  }

  /** The statement is answered, or will not be. */
  public void end() {
    Hotspot<?> mine = hotspot;
    hotspot = null;
    if (mine != null) {
      mine.depart(this);
    }
  }

  long number() {
    return number;
  }

  void number(long begun) {
    number = begun;
  }
}
