package org.abelian.workloads.queries.tpch;

import java.time.LocalDate;

/**
 * A line of an order.
 *
 * @param place of the supplier among the part's four
 * @param discount percent
 * @param tax percent
 */
record Line(
    int part,
    int place,
    int quantity,
    int discount,
    int tax,
    LocalDate shipped,
    LocalDate committed,
    LocalDate received,
    String instruction,
    String mode) {
  private static final LocalDate CURRENT = LocalDate.of(1995, 6, 17);

  static Line draw(RowRandom random, LocalDate ordered, int parts) {
    LocalDate shipped = ordered.plusDays(random.uniform(1, 121));
    return new Line(
        random.uniform(1, parts),
        random.uniform(0, 3),
        random.uniform(1, 50),
        random.uniform(0, 10),
        random.uniform(0, 8),
        shipped,
        ordered.plusDays(random.uniform(30, 90)),
        shipped.plusDays(random.uniform(1, 30)),
        random.pick(Words.INSTRUCTIONS),
        random.pick(Words.MODES));
  }

  /** The same with another part, from its first supplier. */
  Line of(int otherPart, int otherQuantity) {
    return new Line(
        otherPart,
        0,
        otherQuantity,
        discount,
        tax,
        shipped,
        committed,
        received,
        instruction,
        mode);
  }

  /** The same, delivered by air in person. */
  Line byAir() {
    return new Line(
        part,
        place,
        quantity,
        discount,
        tax,
        shipped,
        committed,
        received,
        "DELIVER IN PERSON",
        "AIR");
  }

  /** L_EXTENDEDPRICE in cents. */
  long cents() {
    return quantity * Part.cents(part);
  }

  /** The part of O_TOTALPRICE in cents. */
  long total() {
    return cents() * (100 - discount) / 100 * (100 + tax) / 100;
  }

  boolean isOpen() {
    return shipped.isAfter(CURRENT);
  }

  boolean isReceived() {
    return !received.isAfter(CURRENT);
  }
}
