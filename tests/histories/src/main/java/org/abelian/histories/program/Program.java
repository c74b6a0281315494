package org.abelian.histories.program;

import java.util.List;

/**
 * What the sessions of one history do, each its transactions one after the other.
 *
 * @param seed from which the generator made it
 * @param rows the committed rows before anything begins
 */
public record Program(long seed, Level level, List<Row> rows, List<List<Transaction>> sessions) {}
