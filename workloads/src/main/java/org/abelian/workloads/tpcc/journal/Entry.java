package org.abelian.workloads.tpcc.journal;

import java.util.Arrays;

/** One line of a journal: {@code terminal verdict kind numbers...}, separated by blanks. */
public record Entry(int terminal, Verdict verdict, EntryKey key) {
  private static final String ORDER = "new_order";
  private static final String PAYMENT = "payment";

  /** The line without its line end. */
  public String format() {
    String head = terminal + " " + verdict + " ";
    if (key instanceof OrderKey o) {
      return head
          + join(ORDER, o.warehouse(), o.district(), o.order(), o.customer(), o.entryMicros());
    } else if (key instanceof PaymentKey p) {
      return head
          + join(
              PAYMENT,
              p.warehouse(),
              p.district(),
              p.customerWarehouse(),
              p.customerDistrict(),
              p.customer(),
              p.dateMicros(),
              p.cents());
    }
    throw new IllegalArgumentException("unknown key " + key);
  }

  private static String join(String kind, long... numbers) {
    StringBuilder text = new StringBuilder(kind);
    for (long number : numbers) {
      text.append(' ').append(number);
    }
    return text.toString();
  }

  /**
   * Reads a line back.
   *
   * @throws IllegalArgumentException when the line is not a whole entry
   */
  public static Entry parse(String line) {
    String[] words = line.split(" ");
    if (words.length < 3) {
      throw new IllegalArgumentException("not a journal entry: " + line);
    }
    long[] n = Arrays.stream(words, 3, words.length).mapToLong(Long::parseLong).toArray();
    EntryKey key;
    if (words[2].equals(ORDER) && n.length == 5) {
      key = new OrderKey((int) n[0], (int) n[1], (int) n[2], (int) n[3], n[4]);
    } else if (words[2].equals(PAYMENT) && n.length == 7) {
      key = new PaymentKey((int) n[0], (int) n[1], (int) n[2], (int) n[3], (int) n[4], n[5], n[6]);
    } else {
      throw new IllegalArgumentException("not a journal entry: " + line);
    }
    return new Entry(Integer.parseInt(words[0]), Verdict.valueOf(words[1]), key);
  }
}
