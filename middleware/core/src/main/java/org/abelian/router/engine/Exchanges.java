package org.abelian.router.engine;

import java.util.ArrayList;
import java.util.List;
import org.abelian.router.execution.PartCollection;
import org.abelian.router.execution.RowCollection;

/**
 * What moves between nodes while a statement of one session runs. Collections of rows count what
 * they take anyway; it is noted here only while somebody wants to know.
 */
public final class Exchanges {
  /**
   * Rows that were taken from nodes and given to others.
   *
   * @param what they are
   * @param bytes as they are counted for {@code abelian.max_exchange_bytes}
   * @param nodes how many got them
   * @param copied whether each of these got all of them; else each got its own
   */
  public record Exchange(String what, long rows, long bytes, int nodes, boolean copied) {
    /** The bytes that nodes got. */
    public long moved() {
      return copied ? bytes * nodes : bytes;
    }

    /** As EXPLAIN tells it. */
    @Override
    public String toString() {
      String to = nodes == 1 ? "1 node" : nodes + " nodes" + (copied ? ", all to each" : "");
      return what + ", " + rows + " rows, " + bytes + " bytes, to " + to;
    }
  }

  /** Null while nobody wants to know. */
  private List<Exchange> noted;

  /** From now on what moves is noted. */
  public void begin() {
    noted = new ArrayList<>();
  }

  /** What has moved since, in that order. */
  public List<Exchange> end() {
    List<Exchange> all = noted == null ? List.of() : noted;
    noted = null;
    return all;
  }

  /** Rows of which each of so many nodes gets all; of several tables if there are several parts. */
  void copied(String what, List<RowCollection> parts, int nodes) {
    if (noted == null) {
      return;
    }
    for (int i = 0; i < parts.size(); i++) {
      RowCollection part = parts.get(i);
      String which = parts.size() == 1 ? what : what + " of part " + i;
      noted.add(new Exchange(which, part.rows(), part.bytes(), nodes, true));
    }
  }

  /** Rows of which each of so many nodes gets all, or where a part is divided, its own share. */
  void shared(PartCollection rows, int nodes) {
    for (int i = 0; noted != null && i < rows.count(); i++) {
      List<RowCollection> part = rows.part(i);
      boolean copied = part.size() == 1;
      long count = part.stream().mapToLong(RowCollection::rows).sum();
      long bytes = part.stream().mapToLong(RowCollection::bytes).sum();
      String what = copied ? "broadcast rows" : "repartitioned rows";
      String which = rows.count() == 1 ? what : what + " of part " + i;
      noted.add(new Exchange(which, count, bytes, nodes, copied));
    }
  }

  /** Rows of which each of so many nodes gets its own. */
  void divided(String what, List<byte[][]> rows, int nodes) {
    if (noted != null) {
      long bytes = rows.stream().mapToLong(RowCollection::sizeOf).sum();
      noted.add(new Exchange(what, rows.size(), bytes, nodes, false));
    }
  }
}
