package org.abelian.router.session;

import java.util.ArrayList;
import java.util.List;

/**
 * What a node tells of a read's snapshot there ({@code abelian.read_evidence}): which transactions
 * over several nodes it shows.
 *
 * @param run from one start of the server to the next
 * @param last how many transactions have passed the node's commit gate
 * @param over how many of them, from the first on, had ended
 * @param lane the greatest timestamp of the node's lane; negative unless it is at rest
 * @param passages those that had not been told of before, in the order in which they passed
 */
public record ReadEvidence(
    String run, long last, long over, long lane, List<ReadEvidence.Passage> passages) {
  /**
   * A transaction that has passed the gate.
   *
   * @param sight what the snapshot shows of it
   * @param name the same on every node; empty when it is not known
   * @param nodes those that it commits on
   * @param number of one that is {@link Sight#READY}, as the node knows it; else 0
   */
  public record Passage(Sight sight, String name, List<Integer> nodes, int number) {
    /** True when the snapshot shows it. */
    boolean isSeen() {
      return sight == Sight.SEEN || sight == Sight.SEEN_AGAIN;
    }
  }

  /** What a snapshot shows of a transaction. */
  public enum Sight {
    /** All of it, and it need not be told of again. */
    SEEN,
    /** All of it; it will be told of again, since one before it has not ended. */
    SEEN_AGAIN,
    /** Nothing yet, and perhaps it has to do its work first, in the order of its timestamp. */
    PENDING,
    /** Nothing yet. */
    UNSEEN,
    /** Nothing, but it had done all of its work before the snapshot was taken. */
    READY,
    /** The node cannot tell. */
    UNKNOWN
  }

  private static final int DECIMAL = 10;

  /** Copies the list. */
  public ReadEvidence {
    passages = List.copyOf(passages);
  }

  /** Reads what a node has told; null when it could not tell. */
  public static ReadEvidence parse(String text) {
    if (text == null || text.isEmpty()) {
      return null;
    }
    String[] words = text.split(" ");
    List<Passage> passages = new ArrayList<>();
    for (int i = 4; i < words.length; i++) {
      passages.add(passage(words[i]));
    }
    return new ReadEvidence(
        words[0],
        Long.parseLong(words[1]),
        Long.parseLong(words[2]),
        Long.parseLong(words[3]),
        passages);
  }

  private static Passage passage(String word) {
    Sight sight =
        switch (word.charAt(0)) {
          case 'v' -> Sight.SEEN;
          case 'w' -> Sight.SEEN_AGAIN;
          case 'p' -> Sight.PENDING;
          case 'i' -> Sight.UNSEEN;
          case 'e' -> Sight.READY;
          default -> Sight.UNKNOWN;
        };
    int nameAt = sight == Sight.READY ? word.indexOf(':') + 1 : 1;
    int number = sight == Sight.READY ? Integer.parseInt(word, 1, nameAt - 1, DECIMAL) : 0;
    String name = word.substring(nameAt);
    List<Integer> nodes = nodes(name);
    return nodes.isEmpty()
        ? new Passage(Sight.UNKNOWN, "", nodes, 0)
        : new Passage(sight, name, nodes, number);
  }

  /** The nodes at the end of a name; none when it is no name of a router's. */
  static List<Integer> nodes(String name) {
    List<Integer> nodes = new ArrayList<>();
    try {
      for (String number : name.substring(name.lastIndexOf('/') + 1).split(",")) {
        nodes.add(Integer.valueOf(number));
      }
      return List.copyOf(nodes);
    } catch (NumberFormatException foreign) {
      return List.of();
    }
  }
}
