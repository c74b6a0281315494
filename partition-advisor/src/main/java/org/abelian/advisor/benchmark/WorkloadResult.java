package org.abelian.advisor.benchmark;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import org.abelian.advisor.validation.Judgement;

/**
 * What came out for one workload. All shares are of transactions that nothing was learnt from.
 *
 * @param title for people
 * @param nodes it is placed on
 * @param transactions of the trace
 * @param judged how many transactions judged
 * @param advised the placement that is advised
 * @param hash each table by the hash of its primary key
 * @param manual the literature's placement
 * @param phases what each took
 */
public record WorkloadResult(
    String title,
    int nodes,
    int transactions,
    long judged,
    Judgement advised,
    Judgement hash,
    Judgement manual,
    List<PhaseCost> phases) {
  /** Seconds that all phases together may take. */
  private static final double MOST_SECONDS = 60;

  /** Mebibytes that any phase may take. */
  private static final double MOST_MEMORY = 4096;

  /** Copies the list. */
  public WorkloadResult {
    phases = List.copyOf(phases);
  }

  /** The distributed share of the advised placement over that of the manual one. */
  @JsonProperty("distributed_over_manual")
  public double distributedOverManual() {
    double most = manual.distributed();
    return most == 0
        ? (advised.distributed() == 0 ? 1 : Double.MAX_VALUE)
        : advised.distributed() / most;
  }

  /** The time of all phases over 60 s. */
  @JsonProperty("time_over_budget")
  public double timeOverBudget() {
    return seconds() / MOST_SECONDS;
  }

  /** The greatest memory of a phase over 4 GiB. */
  @JsonProperty("memory_over_budget")
  public double memoryOverBudget() {
    return phases.stream().mapToLong(PhaseCost::mebibytes).max().orElse(0) / MOST_MEMORY;
  }

  /** The time of all phases. */
  @JsonIgnore
  public double seconds() {
    return phases.stream().mapToDouble(PhaseCost::seconds).sum();
  }
}
