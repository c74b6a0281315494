package org.abelian.router.analysis;

/**
 * A number that the session has drawn from a sequence before, as currval() and lastval() tell it.
 *
 * @param sequence qualified and quoted; null for whichever sequence was drawn from last
 * @param name its name alone
 */
public record SessionNumber(String sequence, String name) {}
