/**
 * Messages and start-ups that no client should send: generated from those that clients do send, by
 * a seed. Knows nothing of the server that gets them. {@code -Dabelian.fuzz.messages} tells {@code
 * WireFuzzIT} how many, {@code -Dabelian.seed} which.
 */
package org.abelian.cluster.fuzz;
