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
  private short[] owners = new short[1024];
  private long total;

  CopyLineNumbers(int nodes) {
    counts = new long[nodes];
  }

  /** The next line goes to that node, by its index. */
  void add(int node) {
    append(node);
  }

  /**
   * As {@link #add}, with line feeds inside quotes. PostgreSQL counts those too, once it has seen
   * by the end of a first line how lines end: the client's first for all, and a node's first for
   * it.
   */
  void add(int node, int inside) {
    int lines = total == 0 ? 0 : inside;
    boolean nodeCounts = node == ALL || counts[node] > 0;
    for (int i = 0; i < lines; i++) {
      append(nodeCounts ? node : NONE);
    }
    append(node);
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
  long ofClient(int node, long line) {
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
