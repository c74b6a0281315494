package org.abelian.router.execution;

/**
 * How the rows of a COPY are divided among nodes. The array is not to be changed.
 *
 * @param format of its lines; null when the data are binary
 * @param width how many columns a row has
 * @param columns the places of the distribution columns in a line, from 0
 */
public record CopyDivision(CopyFormat format, int width, int[] columns, CopyKey key) {}
