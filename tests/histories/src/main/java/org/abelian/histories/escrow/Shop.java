package org.abelian.histories.escrow;

/**
 * What is sold.
 *
 * @param type column type of the stocks, with its bounds
 * @param stocks number of rows
 * @param initial what each holds at first
 * @param floor what none may fall below
 * @param ceiling what none may rise above
 * @param most largest amount of one operation
 * @param percentTaken how many of a hundred operations take
 * @param percentAlone how many of a hundred operations stand beside plain columns or overwrite
 * @param guard condition that sellers add to their operations, with %1$d for the amount and %2$d
 *     for the row; empty to rely on the column
 */
public record Shop(
    String type,
    int stocks,
    long initial,
    long floor,
    long ceiling,
    int most,
    int percentTaken,
    int percentAlone,
    String guard) {}
