package org.abelian.router.execution;

import java.util.Arrays;

/**
 * Which node got which line, so that a node's "line 3" can be told as the client's line. Only the
 * latest lines are remembered: a node reports errors of lines that are still on their way. Not
 * thread-safe.
 */
final class CopyLineNumbers {
  private static final int REMEMBERED = 1 << 22;

  /** Stands for all nodes. */
  static final short ALL = -1;

  private static final short NONE = -2;

  private final long[] counts;

  /** By how many lines a node is ahead of those counted here. */
  private final int[] ahead;

  private short[] owners = new short[1024];
  private long total;

  CopyLineNumbers(int nodes) {
    counts = new long[nodes];
    ahead = new int[nodes];
  }

  /** The next line goes to that node, by its index. */
  void add(int node) {
    append(node);
  }

  /**
   * As {@link #add}, with ends of lines inside quotes. PostgreSQL counts those too, and takes
   * carriage returns for them until it has seen how a first line ends: the client's first for a
   * single node, and a node's own first here.
   *
   * @param returns how many carriage returns are inside
   * @param ends how many are inside of what ends lines
   */
  void add(int node, int returns, int ends) {
    int ofClient = total == 0 ? returns : ends;
    int ofNode = (node == ALL ? total : counts[node]) == 0 ? returns : ends;
    for (int i = 0; i < ofClient; i++) {
      append(i < ofClient - ofNode ? NONE : node);
    }
    append(node);
    if (ofNode > ofClient) { // Its first line only; the first of all is the same for both.
      ahead[node] = ofNode - ofClient;
    }
  }

  private void append(int node) {
    if (total == owners.length && owners.length < REMEMBERED) {
      owners = Arrays.copyOf(owners, owners.length * 2);
    }
    owners[(int) (total % owners.length)] = (short) node;
    total++;
    for (int i = 0; i < counts.length; i++) {
      counts[i] += node == ALL || node == i ? 1 : 0;
    }
  }

  /** How many lines the client has sent. */
  long total() {
    return total;
  }

  /** The client's number of a node's line; negative when it is not known any more. */
  long ofClient(int node, long nodeLine) {
    long line = Math.max(1, nodeLine - ahead[node]);
    long number = counts[node];
    if (line > number) {
      return total + 1;
    }
    for (long at = total; at > Math.max(0, total - owners.length); at--) {
      short owner = owners[(int) ((at - 1) % owners.length)];
      if (owner == ALL || owner == node) {
        if (number == line) {
          return at;
        }
        number--;
      }
    }
    return -1;
  }
}
