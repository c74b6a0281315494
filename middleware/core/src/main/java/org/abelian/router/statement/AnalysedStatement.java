package org.abelian.router.statement;

/**
 * What is known about a text.
 *
 * @param scope whose analysis this is: sessions that read names and literals alike
 * @param epoch the router's schema epoch when a node was asked
 * @param routed what it does, and where it goes
 * @param generated how it is run with keys that the router generates; null when it has none, or the
 *     node was not asked
 */
public record AnalysedStatement(
    Object scope, long epoch, RoutedStatement routed, GeneratedKeys generated)
    implements SharedStatement.Known {
  /** True when it has random keys that the router could generate. */
  public boolean hasRandomKeys() {
    return generated != null || routed.facts().randomKeys();
  }

  /** True when it has such keys, and the node was not asked how it is run with them. */
  boolean lacksGenerated() {
    return routed.facts().randomKeys() && routed.facts().made() == null;
  }
}
