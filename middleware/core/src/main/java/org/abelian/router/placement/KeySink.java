package org.abelian.router.placement;

/**
 * Takes the canonical value of one distribution column, where it lies, so that nothing need be
 * allocated for it.
 */
public interface KeySink {
  /** Takes a number; what the result means, the sink says. */
  int number(long key);

  /** Takes bytes, which are the sink's for the time of the call only. */
  int bytes(byte[] buffer, int offset, int length);
}
