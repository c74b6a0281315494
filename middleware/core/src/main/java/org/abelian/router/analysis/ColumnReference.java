package org.abelian.router.analysis;

/** A column of one of the statement's relations. */
public record ColumnReference(int relation, String column) {}
