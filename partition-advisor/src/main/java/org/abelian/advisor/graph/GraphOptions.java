package org.abelian.advisor.graph;

import org.abelian.advisor.AdvisorException;
import org.abelian.advisor.workload.Part;

/**
 * How a graph is made.
 *
 * @param part which transactions it is made from
 * @param tupleShare the share of tuples that is kept, between 0 and 1
 * @param transactionShare the share of transactions that is kept, between 0 and 1
 * @param keepTuples a table of which no more tuples were seen is kept whole, and of others at least
 *     about so many are
 * @param relevance tuples in fewer transactions are left out
 * @param largest transactions with more tuples are left out
 * @param clique the most tuples of a transaction between which all edges are drawn; larger ones
 *     become stars
 * @param replicate whether tuples may be copied
 * @param bySize whether partitions are to hold equally many bytes, rather than to serve equally
 *     many accesses
 */
public record GraphOptions(
    Part part,
    double tupleShare,
    double transactionShare,
    int keepTuples,
    int relevance,
    int largest,
    int clique,
    boolean replicate,
    boolean bySize) {
  /** Checks the numbers. */
  public GraphOptions {
    share("tuples", tupleShare);
    share("transactions", transactionShare);
    if (keepTuples < 1 || relevance < 1 || largest < 1 || clique < 1) {
      throw new AdvisorException("limits of the graph must be at least 1");
    }
  }

  /** The same with a part of its share of transactions. */
  public GraphOptions withTransactions(double partOfShare) {
    return new GraphOptions(
        part,
        tupleShare,
        transactionShare * partOfShare,
        keepTuples,
        relevance,
        largest,
        clique,
        replicate,
        bySize);
  }

  private static void share(String what, double share) {
    if (!(share > 0 && share <= 1)) {
      throw new AdvisorException(
          "the share of " + what + " must be above 0 and at most 1: " + share);
    }
  }
}
