/**
 * Clients that are wrong on purpose, each in one way, over several nodes: they prove that the
 * checker of lists notices.
 */
package org.abelian.histories.brokenlists;
