package org.abelian.server;

/**
 * Bounds for clients.
 *
 * @param clients how many are served at once
 * @param starting how many connections may be there beside, of which nobody knows yet who they are
 * @param startMillis how long a client has to say and prove who it is
 * @param checkMillis how often a client whose statement takes long is looked for
 * @param stallMillis how long a client may leave an answer unread before its session is ended; 0
 *     for ever
 * @param drainMillis how long clients may go on with their transactions when the server is told to
 *     stop
 */
record ClientLimits(
    int clients, int starting, int startMillis, int checkMillis, int stallMillis, int drainMillis) {
  /** For a server of some hundred clients. */
  static final ClientLimits DEFAULT = new ClientLimits(1000, 200, 60_000, 1000, 1_800_000, 3000);

  ClientLimits {
    if (clients < 1
        || starting < 1
        || startMillis < 1
        || checkMillis < 1
        || stallMillis < 0
        || drainMillis < 0) {
      throw new IllegalArgumentException("limits of clients must be positive");
    }
  }
}
