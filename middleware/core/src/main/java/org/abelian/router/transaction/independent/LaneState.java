package org.abelian.router.transaction.independent;

/**
 * What a node says about its lane.
 *
 * @param run which run of the lane this is; 0 before somebody has let it catch up
 * @param last the greatest timestamp given or executed: the horizon of transactions that begin now
 * @param open true when the node accepts proposals
 * @param updated true when the node completes what a router has left so that it cannot leave its
 *     role, as all do from 0.6.0 on
 */
public record LaneState(long run, long last, boolean open, boolean updated) {}
