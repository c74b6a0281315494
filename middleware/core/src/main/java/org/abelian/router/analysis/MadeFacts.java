package org.abelian.router.analysis;

/**
 * How an INSERT is run when values are known before its rows are placed, which its node would make
 * otherwise.
 *
 * @param text the INSERT, each such value being a parameter that comes after the statement's own
 * @param count how many there are
 * @param facts what is to be known of that text
 * @param computed how a node computes them; null when each is a random key, a version-4 UUID that
 *     nobody else has
 */
public record MadeFacts(String text, int count, StatementFacts facts, ComputedFacts computed) {}
