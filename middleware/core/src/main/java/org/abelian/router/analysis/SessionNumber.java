package org.abelian.router.analysis;

/**
 * A number that the session has drawn from a sequence before, as currval() and lastval() tell it.
 *
 * @param sequence qualified and quoted; null for whichever sequence was drawn from last
 * @param name its name alone
 * @param parameter the number of the parameter that names it; 0 when the statement itself does
 */
public record SessionNumber(String sequence, String name, int parameter) {}
