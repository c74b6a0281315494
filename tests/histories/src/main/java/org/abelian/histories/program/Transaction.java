package org.abelian.histories.program;

import java.util.List;

/** Statements between BEGIN and the end. */
public record Transaction(List<Statement> statements, End end) {
  /** How the client ends the transaction if nothing failed before. */
  public enum End {
    COMMIT,
    ROLLBACK,
    COMMIT_PREPARED,
    ROLLBACK_PREPARED;

    public boolean isPrepared() {
      return this == COMMIT_PREPARED || this == ROLLBACK_PREPARED;
    }

    public boolean commits() {
      return this == COMMIT || this == COMMIT_PREPARED;
    }
  }
}
