package org.abelian.parity;

import java.util.List;

/**
 * One statement or permutation that printed something else than it should.
 *
 * @param part its text, or the name of the permutation
 * @param expected the lines expected, or null where none of it should have run
 * @param actual the lines printed, or null where the session did not come so far
 */
record Difference(String part, List<String> expected, List<String> actual) {}
