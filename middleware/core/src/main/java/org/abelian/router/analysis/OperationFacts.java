package org.abelian.router.analysis;

/** An assignment to an Abelian column that is an operation of its type. */
public record OperationFacts(String column, boolean commutes) {}
