/**
 * Messages that no client should send: generated from those that clients do send, by a seed. Knows
 * nothing of the server that gets them.
 */
package org.abelian.cluster.fuzz;
