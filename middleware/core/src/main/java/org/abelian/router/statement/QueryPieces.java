package org.abelian.router.statement;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The statements in the text of a simple query.
 *
 * @param texts without those that are blank
 * @param before how many characters stand before each; empty when that is not known
 */
public record QueryPieces(List<String> texts, List<Integer> before) {
  /** Copies the lists. */
  public QueryPieces {
    texts = List.copyOf(texts);
    before = List.copyOf(before);
  }

  /**
   * Those that a node has found.
   *
   * @param bounds where each begins and how long it is, in bytes, as an array of PostgreSQL's
   */
  static QueryPieces of(String text, String bounds) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    List<String> texts = new ArrayList<>();
    List<Integer> before = new ArrayList<>();
    String numbers = bounds.substring(1, bounds.length() - 1);
    String[] each = numbers.isEmpty() ? new String[0] : numbers.split(",");
    int at = 0;
    int characters = 0;
    for (int i = 0; i + 1 < each.length; i += 2) {
      int start = Integer.parseInt(each[i]);
      String gap = new String(bytes, at, start - at, StandardCharsets.UTF_8);
      characters += gap.codePointCount(0, gap.length());
      at = start;
      texts.add(new String(bytes, start, Integer.parseInt(each[i + 1]), StandardCharsets.UTF_8));
      before.add(characters);
    }
    return new QueryPieces(texts, before);
  }

  /** How many characters stand before one of them, as far as it is known. */
  public int before(int piece) {
    return before.isEmpty() ? 0 : before.get(piece);
  }
}
