package org.abelian.router.catalog;

import org.abelian.router.placement.KeyExpression;
import org.abelian.router.placement.KeyKind;

/**
 * A distribution column of a table.
 *
 * @param key how its values are canonicalised
 * @param expression what of the canonical value counts; null for all of it
 */
public record KeyColumn(String name, KeyKind key, KeyExpression expression) {
  /** True when equal values of both columns count alike. */
  public boolean countsAs(KeyColumn other) {
    return key == other.key
        && (expression == null ? other.expression == null : expression.equals(other.expression));
  }
}
