package org.abelian.router.execution;

/**
 * How the rows of a COPY are divided among nodes.
 *
 * @param column the place of the distribution column in a line, from 0
 */
public record CopyDivision(CopyFormat format, int column, CopyKey key) {}
