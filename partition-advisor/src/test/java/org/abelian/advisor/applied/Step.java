package org.abelian.advisor.applied;

import java.util.List;

/**
 * A statement of a workload.
 *
 * @param values of its parameters
 */
record Step(String sql, List<Object> values) {
  static Step of(String sql, Object... values) {
    return new Step(sql, List.of(values));
  }
}
