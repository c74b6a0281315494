package org.abelian.router.placement;

import java.util.Collections;
import java.util.List;

/**
 * What a clause demands of one column.
 *
 * @param column its place among the distribution columns, from 0
 * @param constants ascending; one, or for EQUAL those of which one must equal the value
 */
public record Condition(int column, Comparison comparison, List<KeyValue> constants) {
  /** How a value stands to the constant. */
  public enum Comparison {
    LESS,
    LESS_OR_EQUAL,
    GREATER,
    GREATER_OR_EQUAL,
    EQUAL;

    /**
     * The one that nodes write so.
     *
     * @throws IllegalArgumentException when there is none
     */
    public static Comparison of(String operator) {
      return switch (operator) {
        case "<" -> LESS;
        case "<=" -> LESS_OR_EQUAL;
        case ">" -> GREATER;
        case ">=" -> GREATER_OR_EQUAL;
        case "=" -> EQUAL;
        default -> throw new IllegalArgumentException("operator " + operator);
      };
    }
  }

  /** Copies and sorts the constants. */
  public Condition {
    constants = constants.stream().sorted().toList();
  }

  /** Whether it holds for a value of the column. */
  public boolean holds(KeyValue value) {
    if (comparison == Comparison.EQUAL) {
      return Collections.binarySearch(constants, value) >= 0;
    }
    int order = value.compareTo(constants.get(0));
    return switch (comparison) {
      case LESS -> order < 0;
      case LESS_OR_EQUAL -> order <= 0;
      case GREATER -> order > 0;
      default -> order >= 0;
    };
  }
}
