package org.abelian.router.statement;

import java.util.List;

/**
 * What is known about a text.
 *
 * @param scope whose analysis this is: sessions that read names and literals alike
 * @param epoch the router's schema epoch when a node was asked
 * @param routed what it does, and where it goes
 * @param toldKeys true when the node has told how it is run with keys that are known before
 * @param generated how that is; null when it has none, or the node has not told
 */
public record AnalysedStatement(
    Object scope, long epoch, RoutedStatement routed, boolean toldKeys, GeneratedKeys generated)
    implements SharedStatement.Known {
  @Override
  public List<Integer> parameters() {
    return routed.facts().parameters();
  }

  /** True when it has keys that could be known before its rows are placed. */
  public boolean hasGeneratedKeys() {
    return generated != null || routed.facts().change().randomKeys();
  }

  /** True when it has such keys, and the node has not told how it is run with them. */
  boolean lacksGenerated() {
    return routed.facts().change().randomKeys() && !toldKeys;
  }
}
