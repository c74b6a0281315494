package org.abelian.router.combining;

/**
 * Combining has failed on an object, and not succeeded since.
 *
 * @param until the time until which everybody goes alone
 * @param nanos how long that was
 */
record Quiet(long until, long nanos) {}
