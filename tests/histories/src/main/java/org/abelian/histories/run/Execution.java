package org.abelian.histories.run;

import java.util.List;
import org.abelian.histories.program.Transaction;

/**
 * A transaction as it ran.
 *
 * @param statements outcome of each statement up to the one that ended the transaction by its
 *     error; shorter than the transaction's list in that case
 * @param end outcome of COMMIT or COMMIT PREPARED, whose success makes the transaction committed;
 *     of the step that failed or rolled back otherwise
 */
public record Execution(
    Transaction transaction, List<Outcome> statements, Outcome end, boolean committed) {}
