package org.abelian.router.analysis;

/**
 * How an INSERT is run when the router makes its random keys, which the node would make otherwise.
 *
 * @param text the INSERT, each such key being a parameter that comes after the statement's own
 * @param count how many keys there are; each is a version-4 UUID that nobody else has
 * @param facts what is to be known of that text
 */
public record MadeFacts(String text, int count, StatementFacts facts) {}
