package org.abelian.advisor.validation;

import java.util.List;

/**
 * From which arguments of a class of transactions the nodes follow that it needs.
 *
 * @param name of the class
 * @param arguments their numbers, from 1; empty when none leads anywhere
 * @param right the share of transactions that reach all nodes they need
 * @param needless the share that also go to others
 */
public record RoutedClass(String name, List<Integer> arguments, double right, double needless) {
  /** Copies the list. */
  public RoutedClass {
    arguments = List.copyOf(arguments);
  }
}
