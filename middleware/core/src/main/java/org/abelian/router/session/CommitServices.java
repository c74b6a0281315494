package org.abelian.router.session;

import org.abelian.router.transaction.CommutingCommit;
import org.abelian.router.transaction.CoordinatedCommit;

/**
 * How transactions over several nodes are committed, and who counts them.
 *
 * @param coordinated two-phase commit
 * @param commuting one round, by the nodes' records
 */
public record CommitServices(
    CoordinatedCommit coordinated, CommutingCommit commuting, CommitStatistics statistics) {}
