package org.abelian.advisor.explanation;

/**
 * A row with its place, to learn from.
 *
 * @param numbers its columns that are numbers; NaN where unknown
 * @param texts its other columns; null where unknown
 * @param partition from 0, or everywhere
 * @param weight how often it was used
 */
record Labelled(double[] numbers, String[] texts, int partition, float weight) {}
