package org.abelian.router.transaction;

import java.util.List;
import org.abelian.router.error.AbelianException;

/** What the client is told about its COMMIT. */
public sealed interface CommitOutcome {
  /**
   * The transaction is committed.
   *
   * @param warnings texts of WARNING notices, one for each node that could not be told yet;
   *     recovery will tell it
   */
  record Committed(List<String> warnings) implements CommitOutcome {
    /** Copies the list. */
    public Committed {
      warnings = List.copyOf(warnings);
    }
  }

  /**
   * The transaction is rolled back on every node; a node's own error says why.
   *
   * @param node the node that refused
   * @param failure its answer
   */
  record RolledBackByNode(int node, Answer.Failed failure) implements CommitOutcome {}

  /**
   * COMMIT of a transaction that had failed before: PostgreSQL answers such a COMMIT with the tag
   * ROLLBACK and no error.
   */
  record RolledBackSilently() implements CommitOutcome {}

  /** The transaction is rolled back, and the router says why (40001, 08006). */
  record RolledBack(AbelianException error) implements CommitOutcome {}

  /** Nobody can say yet: 08007 with the token in the detail. */
  record Unknown(AbelianException error) implements CommitOutcome {}
}
