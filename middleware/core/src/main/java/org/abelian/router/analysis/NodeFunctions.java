package org.abelian.router.analysis;

import java.util.List;

/**
 * What a statement calls of PostgreSQL's own functions that is not the same wherever it runs.
 *
 * @param settings true when one of them changes a setting of the session
 * @param ofOneNode what has its effect or answer on one node: advisory locks, large objects,
 *     transaction ids, sequences that no distributed table shares
 * @param ofNoNode what no node can answer as one PostgreSQL would
 * @param ofEveryNode true when every node has to run it, each in its own way
 * @param draws the sequences that it moves, qualified and quoted; an empty name for one that only
 *     running it tells
 */
public record NodeFunctions(
    boolean settings,
    List<String> ofOneNode,
    List<String> ofNoNode,
    boolean ofEveryNode,
    List<String> draws) {
  /** Of a statement that calls none. */
  public static final NodeFunctions NONE = new NodeFunctions(false, List.of(), List.of());

  /** Of a statement that moves no sequence. */
  public NodeFunctions(boolean settings, List<String> ofOneNode, List<String> ofNoNode) {
    this(settings, ofOneNode, ofNoNode, false, List.of());
  }

  /** Copies the lists. */
  public NodeFunctions {
    ofOneNode = List.copyOf(ofOneNode);
    ofNoNode = List.copyOf(ofNoNode);
    draws = List.copyOf(draws);
  }
}
