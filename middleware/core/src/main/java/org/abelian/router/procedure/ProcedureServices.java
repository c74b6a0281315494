package org.abelian.router.procedure;

import org.abelian.router.batching.Batcher;
import org.abelian.router.batching.LockWaits;
import org.abelian.router.session.CommitStatistics;
import org.abelian.router.transaction.CommutingCommit;
import org.abelian.router.transaction.independent.IndependentTransactions;

/**
 * What the calls of all sessions of a router share.
 *
 * @param commuting commits calls of blind operations
 * @param independents runs calls whose participants decide alike
 * @param calls batches commuting calls, whatever rows they name
 * @param callsInLine batches those that name a row at which others wait for a lock
 * @param awaited such rows
 * @param lanes batches calls that become one independent transaction
 * @param rules what was learned from misrouted calls
 * @param promises stops procedures that are not what they are declared to be
 */
public record ProcedureServices(
    CommutingCommit commuting,
    IndependentTransactions independents,
    Batcher<Calls<SharedCall>> calls,
    Batcher<Calls<SharedCall>> callsInLine,
    LockWaits<CallObject> awaited,
    Batcher<Calls<LaneCall>> lanes,
    RoutingRules rules,
    BrokenPromises promises,
    CommitStatistics statistics) {}
