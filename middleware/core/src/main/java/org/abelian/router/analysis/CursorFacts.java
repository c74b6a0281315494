package org.abelian.router.analysis;

/**
 * What DECLARE asks for.
 *
 * @param query where the query stands in the text
 * @param scroll true when it is to go backwards, too
 * @param binary true when values are wanted in binary format
 */
public record CursorFacts(Span query, boolean scroll, boolean binary) {}
