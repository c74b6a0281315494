package org.abelian.router.analysis;

/**
 * Whether a writing statement is blind: whether it can be done again later on a node that lost it,
 * without a difference that anyone could have relied on.
 *
 * @param redo the text that does it, which no setting changes the meaning of; null when it is not
 *     blind
 * @param reason why it is not blind, to follow "because"; null when it is
 */
public record BlindFacts(String redo, String reason) {}
