package org.abelian.histories.escrow;

import java.sql.SQLException;
import java.sql.Statement;
import java.util.Random;
import org.abelian.histories.load.Crew;
import org.abelian.histories.load.Member;

/** One whose commits are noted: when they were asked for, and when they were answered. */
abstract class RecordedMember extends Member {
  private final SalesRecord record;

  RecordedMember(Crew crew, SalesRecord record) {
    super(crew);
    this.record = record;
  }

  /**
   * Ends the transaction: often by COMMIT, sometimes in two phases; false if it was rolled back.
   */
  final boolean end(Statement statement, Random random, SalesRecord.Number number)
      throws SQLException {
    int dice = random.nextInt(12);
    if (dice <= 2) {
      statement.execute("ROLLBACK");
      return false;
    }
    String commit = "COMMIT";
    if (dice == 3) {
      String gid = "recorded_" + number.buyer() + "_" + number.transaction();
      statement.execute("PREPARE TRANSACTION '" + gid + "'");
      commit = "COMMIT PREPARED '" + gid + "'";
    }
    beginCommit();
    record.noteCommitSent(number);
    statement.execute(commit);
    record.noteCommitted(number);
    noteAcknowledged();
    return true;
  }
}
