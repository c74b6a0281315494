package org.abelian.router.engine;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.StringJoiner;

/** Names of portals that read by the snapshot of another one, of the same read on the same node. */
final class SharedSnapshot {
  private static final String PREFIX = "abelian-as/";
  private static final int HEXADECIMAL = 16;

  private SharedSnapshot() {}

  /** A word that no other portal of the session has. */
  static String unique(EngineContext context) {
    return Integer.toString(context.gate().nextRead(), HEXADECIMAL);
  }

  /** A name for a portal that reads by the snapshot of an earlier one, which is still open. */
  static String name(EngineContext context, byte[] earlier) {
    String name = new String(earlier, StandardCharsets.US_ASCII);
    return PREFIX + unique(context) + '/' + name.split("/")[1];
  }

  /**
   * A name for a portal that reads by that snapshot and some transactions more.
   *
   * @param numbers of the transactions, as the node has told them, ascending
   */
  static byte[] completed(EngineContext context, byte[] earlier, List<Integer> numbers) {
    return (name(context, earlier) + '/' + ranges(numbers)).getBytes(StandardCharsets.US_ASCII);
  }

  /** For instance {@code 1-3,7}. */
  static String ranges(List<Integer> numbers) {
    StringJoiner ranges = new StringJoiner(",");
    int at = 0;
    while (at < numbers.size()) {
      int first = at++;
      while (at < numbers.size() && numbers.get(at) == numbers.get(at - 1) + 1) {
        at++;
      }
      int last = numbers.get(at - 1);
      ranges.add(at - first == 1 ? String.valueOf(last) : numbers.get(first) + "-" + last);
    }
    return ranges.toString();
  }
}
