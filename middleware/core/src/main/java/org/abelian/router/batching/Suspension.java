package org.abelian.router.batching;

/**
 * A batch has failed at a key, and none has succeeded since.
 *
 * @param until the time until which everybody goes alone
 * @param nanos how long that is
 */
record Suspension(long until, long nanos) {}
