package org.abelian.histories.constraints;

/**
 * One statement of a session.
 *
 * @param sql its text
 * @param kept whether an error of it is rolled back to where it began, so that its transaction goes
 *     on
 */
public record Step(String sql, boolean kept) {}
