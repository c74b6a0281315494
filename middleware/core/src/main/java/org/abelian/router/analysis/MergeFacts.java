package org.abelian.router.analysis;

import java.util.List;

/**
 * How the answers of several nodes to a SELECT become one, or how rows of other nodes come to those
 * that change their own by them.
 *
 * @param worker the text that each node runs; null unless the mode is COMBINE, or when it needs
 *     only what one node gives
 * @param workerOfOne the text that the first of the nodes runs instead, which also gives the rows
 *     that all have or it alone; null when there are none
 * @param combine the text that one node runs over the workers' rows, given as array parameters, or
 *     of a change each node that has rows to change; null unless COMBINE
 * @param workerTypes type OIDs of the worker's columns
 * @param combineParameters type OIDs of all parameters of the combine text: the statement's own,
 *     then an array for each column of the worker
 * @param parts how many columns of the worker each part of its rows has, after a first column that
 *     says which part a row is of; empty when all rows have all columns
 * @param firstNode true when rows of the first node alone are among them
 * @param pullsRows true when the workers give rows of the tables as they are, as many as there are
 * @param taken which of the workers' rows the statement takes, when these are the first ones of
 *     each node and are locked; else null
 * @param reason why it cannot be merged, or why rows of whole tables come together; else null
 * @param broadcast how it can be run so that less moves, or the nodes share the work; null when it
 *     cannot
 * @param finish what is known when the workers' rows are rows of the answer; else null
 */
public record MergeFacts(
    Mode mode,
    String worker,
    String workerOfOne,
    String combine,
    List<Integer> workerTypes,
    List<Integer> combineParameters,
    List<Integer> parts,
    boolean firstNode,
    boolean pullsRows,
    Taken taken,
    String reason,
    Broadcast broadcast,
    Finish finish) {
  /**
   * Which of the rows that nodes have locked a statement takes.
   *
   * @param text tells their places, from 1
   * @param waits true when nodes wait for rows that others have locked
   */
  public record Taken(String text, boolean waits) {}

  /** The ways to merge. */
  public enum Mode {
    /** One after the other, in any order. */
    CONCAT,
    /** By a query that one node runs over all rows. */
    COMBINE,
    /** Not at all. */
    REFUSE
  }

  /** Copies the lists. */
  public MergeFacts {
    parts = List.copyOf(parts);
    workerTypes = List.copyOf(workerTypes);
    combineParameters = List.copyOf(combineParameters);
  }

  /** The rows as they are, one node's after the other's. */
  public static MergeFacts concat() {
    return new MergeFacts(
        Mode.CONCAT,
        null,
        null,
        null,
        List.of(),
        List.of(),
        List.of(),
        false,
        false,
        null,
        null,
        null,
        null);
  }

  /**
   * Whether a node that has all the rows that matter, and at least one, gives the whole answer by
   * the statement as it is.
   */
  public boolean isWholeOnNode() {
    return mode == Mode.CONCAT || finish != null;
  }

  /** Which of the rows it takes, if it takes any of them; else null. */
  public Window window() {
    return finish == null ? null : finish.window();
  }

  /**
   * The workers' rows are rows of the answer: one node sorts them, takes the first, or drops
   * duplicates.
   *
   * @param window null unless it takes any rows, up to so many
   */
  public record Finish(Window window) {}

  /**
   * LIMIT and OFFSET without an order.
   *
   * @param limit NULL for no limit
   * @param offset NULL for none
   * @param text by which a node gives the rows up to the end of both; null for the statement itself
   */
  public record Window(Value limit, Value offset, String text) {}

  /**
   * How nodes join their own rows of the largest tables with rows of the others, which each of them
   * gets: a broadcast join. Of rows that are divided, each node gets its own: a repartition join.
   *
   * @param rows gathers the rows of the others, as for a change: its combine text is what each node
   *     makes of them and of its own
   * @param merge how that is merged, or if it has parts, how nodes group their own rows for those
   *     that they get and one node runs the statement over the groups; all of its texts take the
   *     arrays of the rows behind the statement's own parameters
   * @param finishNeedsRows whether the query that finishes it reads those arrays as well
   * @param splits the parts of the rows that are divided
   * @param movedBytes what one node gives for every node, as its planner estimates
   * @param splitBytes what it gives for one node each
   * @param allBytes what it would give if nothing stayed
   */
  public record Broadcast(
      MergeFacts rows,
      MergeFacts merge,
      boolean finishNeedsRows,
      List<Split> splits,
      double movedBytes,
      double splitBytes,
      double allBytes) {
    /** Copies the list. */
    public Broadcast {
      splits = List.copyOf(splits);
    }

    /**
     * Whether no more passes through the router than when one node joins all rows, which it takes
     * and gives once each.
     *
     * @param nodes how many get the rows
     */
    public boolean isCheaper(int nodes) {
      double passes = (1 + nodes) * movedBytes + 2 * splitBytes;
      return splits.isEmpty() ? 2 * allBytes > passes : 2 * allBytes >= passes;
    }
  }

  /**
   * A part of gathered rows that is divided between nodes by one of its columns: rows that are
   * equal there meet on one node.
   *
   * @param part its number
   * @param column the column among those of the part, from 0
   * @param type OID of the column's type
   * @param schema of the table whose rows they meet by its distribution column; null to divide them
   *     by the hash
   * @param table its name; null likewise
   */
  public record Split(int part, int column, int type, String schema, String table) {
    /** True when no table says where the rows go. */
    public boolean isByHash() {
      return table == null;
    }
  }
}
