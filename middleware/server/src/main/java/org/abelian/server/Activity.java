package org.abelian.server;

/**
 * What a client's thread does, for another one that watches it. While that one looks at the
 * client's socket, the thread does not turn to anything that uses the socket.
 */
final class Activity {
  /** Kinds of what a thread does. */
  enum Kind {
    /** It waits for the client to send something. */
    READING,
    /** It does what the client wants, and leaves the socket alone. */
    WORKING,
    /** It sends the client something. */
    WRITING
  }

  /** One thing that a thread does, from its beginning to its end; no two are equal. */
  static final class Turn {
    private final Kind kind;

    private Turn(Kind kind) {
      this.kind = kind;
    }

    Kind kind() {
      return kind;
    }
  }

  private Turn turn = new Turn(Kind.READING);

  /** The thread turns to something else; if it is being looked at, it waits for that to end. */
  synchronized void begin(Kind kind) {
    turn = new Turn(kind);
  }

  /** What it does. */
  synchronized Turn now() {
    return turn;
  }

  /**
   * Looks while the thread does nothing else.
   *
   * @param look short: the thread waits for it
   * @return false when the thread does something else already; then nothing was looked at
   */
  synchronized boolean during(Turn still, Runnable look) {
    if (turn != still) {
      return false;
    }
    look.run();
    return true;
  }
}
