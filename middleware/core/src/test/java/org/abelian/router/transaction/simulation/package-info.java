/**
 * The coordinated commit, recovery and retention as they are, over nodes in memory. A scheduler
 * decides at each message which thread goes on, what arrives and what fails, so a run is repeated
 * exactly by its seed or its choices.
 */
package org.abelian.router.transaction.simulation;
