package org.abelian.router.trace;

import java.util.ArrayList;
import java.util.List;

/** A transaction of a session, while it is open and on its way to the files. Not thread-safe. */
final class TracedTransaction {
  /** As many characters as names have in PostgreSQL. */
  private static final int NAME_MAX = 63;

  private final Session session;
  private final long number;
  private final long beganMillis = System.currentTimeMillis();
  private final long beganNanos = System.nanoTime();
  private final List<TracedStatement> statements = new ArrayList<>(4);
  private String commitClass;
  private String name;
  private boolean block;
  private boolean committed;
  private long bytes;
  private long firstLine;

  /**
   * Whose it is.
   *
   * @param id of the session, unlike that of any other router's
   */
  record Session(String id, String user, String database) {}

  /**
   * Nothing is done yet.
   *
   * @param number within the session, from 1
   */
  TracedTransaction(Session session, long number) {
    this.session = session;
    this.number = number;
  }

  void add(TracedStatement statement, boolean inBlock) {
    statements.add(statement);
    block |= inBlock;
  }

  /** Memory is set aside for it. */
  void charge(long more) {
    bytes += more;
  }

  void commitClass(String name) {
    commitClass = name;
  }

  /** Its client calls it that; null when it does not say. */
  void name(String given) {
    boolean fits = given == null || given.length() <= NAME_MAX;
    name = fits ? given : given.substring(0, NAME_MAX);
  }

  /** Nothing of it has been done after all; its memory stays set aside. */
  void clear() {
    statements.clear();
    commitClass = null;
    block = false;
  }

  void end(boolean kept, long line) {
    committed = kept;
    firstLine = line;
  }

  /** How many lines it has: what its client did, and how it ended if that is not clear. */
  int lines() {
    return statements.size() + (block ? 2 : committed ? 0 : 1);
  }

  long bytes() {
    return bytes;
  }

  Session session() {
    return session;
  }

  long number() {
    return number;
  }

  List<TracedStatement> statements() {
    return statements;
  }

  String commitClass() {
    return commitClass;
  }

  String name() {
    return name;
  }

  /** True when the client began it. */
  boolean isBlock() {
    return block;
  }

  boolean isCommitted() {
    return committed;
  }

  /** The number of its first line within the session. */
  long firstLine() {
    return firstLine;
  }

  /** The time of the day at a time of System.nanoTime(), in milliseconds since 1970. */
  long millis(long nanos) {
    return beganMillis + (nanos - beganNanos) / 1_000_000;
  }

  long beganNanos() {
    return beganNanos;
  }
}
