package org.abelian.histories.load;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntPredicate;
import org.abelian.harness.LocalNode;

/** Threads that work on one node until they are stopped or the node dies, and what they counted. */
public final class Crew {
  private static final int SURPRISES_MAX = 10;

  private final LocalNode node;
  private final String name;
  private final long endSecondsMax;
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicLong members = new AtomicLong();
  private final AtomicLong acknowledged = new AtomicLong();
  private final AtomicLong unknown = new AtomicLong();
  private final List<String> surprises = new ArrayList<>();
  private volatile boolean stopping;

  /**
   * Nobody yet.
   *
   * @param name what one of them is
   * @param endSecondsMax how long the last transactions may take
   */
  public Crew(LocalNode node, String name, long endSecondsMax) {
    this.node = node;
    this.name = name;
    this.endSecondsMax = endSecondsMax;
  }

  /** Starts some more, which get seeds from {@code seed} on. */
  public void start(int count, long seed, Recruit recruit) {
    stopping = false;
    for (int i = 0; i < count; i++) {
      long number = members.incrementAndGet();
      Thread thread = new Thread(recruit.make(number, seed + i), name + " " + number);
      threads.add(thread);
      thread.start();
    }
  }

  /** Lets all finish their transactions and end. */
  public void stop() throws InterruptedException {
    stopping = true;
    awaitEnd();
  }

  /** The same where members may wait for what killed sessions have prepared, which is ended. */
  private void stop(Statement statement) throws Exception {
    FutureTask<Void> end =
        new FutureTask<>(
            () -> {
              stop();
              return null;
            });
    new Thread(end, "stopping").start();
    while (!end.isDone()) {
      endOrphans(statement);
      Thread.sleep(100);
    }
    end.get();
  }

  /**
   * Lets members work, and ends the session of one after each look, who is replaced; stops early
   * when a look finds something wrong.
   *
   * @return whether one did
   */
  public boolean workBesideKills(Kills kills, long seed, Recruit recruit, Look isWrong)
      throws Exception {
    boolean wrong = false;
    long next = seed;
    start(kills.members(), next, recruit);
    try (Connection connection = node.connect();
        Statement statement = connection.createStatement()) {
      for (int look = 0; look < kills.looks() && !wrong; look++) {
        Thread.sleep(kills.pauseMillis());
        wrong = isWrong.at(statement);
        if (killOne(statement)) {
          next += kills.members();
          start(1, next, recruit);
        }
        endOrphans(statement);
      }
      stop(statement);
    }
    return wrong;
  }

  /**
   * Ends the session of one member, whatever it is at, by its application name, which is what one
   * of the crew is; whether there was one.
   */
  private boolean killOne(Statement statement) throws SQLException {
    String query =
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '%s'"
                .formatted(name)
            + " ORDER BY random() LIMIT 1";
    try (ResultSet rows = statement.executeQuery(query)) {
      return rows.next() && rows.getBoolean(1);
    }
  }

  /** Waits until all have ended, as they do when their connections break. */
  public void awaitEnd() throws InterruptedException {
    for (Thread thread : threads) {
      thread.join(TimeUnit.SECONDS.toMillis(endSecondsMax));
      if (thread.isAlive()) {
        IllegalStateException hangs = new IllegalStateException(thread.getName() + " hangs");
        hangs.setStackTrace(thread.getStackTrace());
        throw hangs;
      }
    }
    threads.clear();
    synchronized (surprises) {
      if (!surprises.isEmpty()) {
        throw new IllegalStateException("unexpected errors: " + surprises);
      }
    }
  }

  /**
   * Ends what was prepared and not finished when the node was killed.
   *
   * @param commits whether the n-th of them, from 0, is committed
   */
  public void resolvePrepared(IntPredicate commits) throws SQLException {
    try (Connection connection = node.connect();
        Statement statement = connection.createStatement()) {
      resolve(statement, "SELECT gid FROM pg_prepared_xacts", commits);
    }
  }

  /**
   * Rolls back what a killed session has prepared and nobody else will end, while all wait for it.
   * Others end theirs at once.
   */
  private void endOrphans(Statement statement) throws SQLException {
    String old =
        "SELECT gid FROM pg_prepared_xacts WHERE prepared < clock_timestamp() - interval '5 s'";
    resolve(statement, old, n -> false);
  }

  private static void resolve(Statement statement, String query, IntPredicate commits)
      throws SQLException {
    List<String> gids = new ArrayList<>();
    try (ResultSet rows = statement.executeQuery(query)) {
      while (rows.next()) {
        gids.add(rows.getString(1));
      }
    }
    for (int i = 0; i < gids.size(); i++) {
      String end = commits.test(i) ? "COMMIT" : "ROLLBACK";
      statement.execute(end + " PREPARED '" + gids.get(i) + "'");
    }
  }

  /** Transactions whose COMMIT was answered. */
  public long acknowledged() {
    return acknowledged.get();
  }

  /** Transactions that broke off while their outcome was open. */
  public long unknown() {
    return unknown.get();
  }

  Connection connect() throws SQLException {
    return node.connect();
  }

  boolean isStopping() {
    return stopping;
  }

  void noteAcknowledged() {
    acknowledged.incrementAndGet();
  }

  void noteUnknown() {
    unknown.incrementAndGet();
  }

  void noteSurprise(SQLException error) {
    synchronized (surprises) {
      if (surprises.size() < SURPRISES_MAX) {
        surprises.add(error.getSQLState() + " " + error.getMessage());
      }
    }
  }
}
