/**
 * Advice that is followed: a workload's log is advised on, the placement is made on a cluster
 * through the router, and the transactions that nothing was learnt from show what they cost there.
 */
package org.abelian.advisor.applied;
