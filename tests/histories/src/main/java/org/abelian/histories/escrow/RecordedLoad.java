package org.abelian.histories.escrow;

import java.sql.SQLException;
import java.sql.Statement;
import org.abelian.harness.LocalNode;
import org.abelian.histories.load.Crew;
import org.abelian.histories.load.Kills;
import org.abelian.histories.load.Member;

/** A load of which it is noted what its members were told, and when. */
abstract class RecordedLoad {
  private static final long END_SECONDS_MAX = 120;

  private final LocalNode node;
  private final Crew crew;
  private final SalesRecord record = new SalesRecord();

  /** With nobody yet; {@code member} is what one of the crew is. */
  RecordedLoad(LocalNode node, String member) {
    this.node = node;
    this.crew = new Crew(node, member, END_SECONDS_MAX);
  }

  /** Makes a member. */
  abstract Member recruit(long number, long seed);

  /** Whether one snapshot shows what must never be. */
  abstract boolean isWrong(Statement statement) throws SQLException;

  final LocalNode node() {
    return node;
  }

  /** Starts members. */
  public final void start(int count, long seed) {
    crew.start(count, seed, this::recruit);
  }

  /** Lets members work, of whom some are ended; whether a reader saw something wrong meanwhile. */
  public final boolean workBesideKills(Kills kills, long seed) throws Exception {
    return crew.workBesideKills(kills, seed, this::recruit, this::isWrong);
  }

  /** The members. */
  public final Crew crew() {
    return crew;
  }

  /** What they were told. */
  public final SalesRecord record() {
    return record;
  }
}
