package org.abelian.advisor.validation;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.abelian.advisor.placement.Candidate;

/**
 * What a placement does to the transactions that judge.
 *
 * @param name of the candidate
 * @param title of the candidate
 * @param kind of the candidate
 * @param loadable whether the functions that place tables can make it
 * @param shares of transactions by kind; together 1
 * @param misrouted the share of transactions with a statement that does not say where its rows are,
 *     and is sent to all nodes
 * @param nodes mean number of nodes of a transaction
 * @param loadBalance accesses of the busiest node over the mean
 * @param busiest accesses of the busiest node in a transaction, in the mean
 * @param rowBalance rows of the fullest node over the mean
 * @param classes what it does to each class of transactions, the most frequent first
 * @param retypings what other column types would turn from coordinated into commuting
 * @param trafficApart how many of the distributed transactions use both of two nodes, by node
 */
public record Judgement(
    String name,
    String title,
    Candidate.Kind kind,
    boolean loadable,
    Map<TransactionKind, Double> shares,
    double misrouted,
    double nodes,
    double loadBalance,
    double busiest,
    double rowBalance,
    List<OfClass> classes,
    List<Retyping> retypings,
    long[][] trafficApart) {
  /**
   * One class of transactions.
   *
   * @param name of the class
   * @param share of all transactions
   * @param distributed the share of the class that needs several nodes
   */
  public record OfClass(String name, double share, double distributed) {}

  /**
   * Types that would make writes commute.
   *
   * @param types columns with the types they would need
   * @param saved the share of all transactions that would no longer be coordinated or independent
   */
  public record Retyping(String types, double saved) {}

  /** Copies the collections. */
  public Judgement {
    shares = new TreeMap<>(shares);
    classes = List.copyOf(classes);
    retypings = List.copyOf(retypings);
  }

  /** The share of transactions that need several nodes. */
  @JsonIgnore
  public double distributed() {
    return 1 - shares.getOrDefault(TransactionKind.SINGLE, 0.0);
  }
}
