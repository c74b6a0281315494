package org.abelian.router.execution;

/**
 * How the rows of a COPY are divided among nodes. The array is not to be changed.
 *
 * @param columns the places of the distribution columns in a line, from 0
 */
public record CopyDivision(CopyFormat format, int[] columns, CopyKey key) {}
