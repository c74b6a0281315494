package org.abelian.workloads.tpcc.run;

import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.abelian.workloads.tpcc.input.TransactionType;

/**
 * Figures of a measured run.
 *
 * @param measured how long was measured
 * @param perSecond completed transactions of each second of the measurement
 * @param errors the first distinct errors that made transactions fail, bounded
 */
public record RunResult(
    Duration measured,
    Map<TransactionType, TypeStatistics> types,
    List<Long> perSecond,
    List<String> errors) {
  public RunResult {
    types = Map.copyOf(new EnumMap<>(types));
    perSecond = List.copyOf(perSecond);
    errors = List.copyOf(errors);
  }

  /** All types taken together. */
  public TypeStatistics total() {
    TypeStatistics total = new TypeStatistics();
    types.values().forEach(total::add);
    return total;
  }

  /** Completed transactions per second. */
  public double throughput() {
    return sum(TypeStatistics::completed) / seconds();
  }

  /** Completed transactions of a type per second. */
  public double throughput(TransactionType type) {
    return types.get(type).completed() / seconds();
  }

  public long failures() {
    return sum(TypeStatistics::failures);
  }

  private long sum(ToLongFunction<TypeStatistics> figure) {
    return types.values().stream().mapToLong(figure).sum();
  }

  private double seconds() {
    return measured.toNanos() / 1e9;
  }
}
