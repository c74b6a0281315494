package org.abelian.workloads.random;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Things drawn by their weights.
 *
 * @param weights greater than 0 each; they need not sum up to anything
 */
public record Mix<T>(Map<T, Double> weights) {
  public Mix {
    weights = new LinkedHashMap<>(weights);
    if (weights.isEmpty() || weights.values().stream().anyMatch(weight -> weight <= 0)) {
      throw new IllegalArgumentException("a mix needs weights greater than 0: " + weights);
    }
  }

  /**
   * Things that know their weights.
   *
   * @param weight 0 for what is never drawn
   */
  public static <T> Mix<T> of(T[] things, ToDoubleFunction<T> weight) {
    Map<T, Double> weights = new LinkedHashMap<>();
    for (T thing : things) {
      if (weight.applyAsDouble(thing) != 0) {
        weights.put(thing, weight.applyAsDouble(thing));
      }
    }
    return new Mix<>(weights);
  }

  /**
   * One of them.
   *
   * @param fraction uniform over [0, 1)
   */
  public T draw(double fraction) {
    Collection<Double> all = weights.values();
    double left = fraction * all.stream().mapToDouble(Double::doubleValue).sum();
    T last = null;
    for (Map.Entry<T, Double> each : weights.entrySet()) {
      last = each.getKey();
      left -= each.getValue();
      if (left < 0) {
        return last;
      }
    }
    return last;
  }
}
