package org.abelian.workloads.queries.tpch;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;

/** An order with its lines. */
record Order(long key, int customer, LocalDate date, List<Line> lines) {
  private static final LocalDate FIRST_DAY = LocalDate.of(1992, 1, 1);
  private static final LocalDate LAST_DAY = LocalDate.of(1998, 12, 31).minusDays(151);
  private static final int DAYS = (int) (LAST_DAY.toEpochDay() - FIRST_DAY.toEpochDay());

  /**
   * The order of that number, from 1.
   *
   * @param random of this order
   */
  static Order draw(int number, RowRandom random, TpchScale scale) {
    int customer = random.uniform(1, scale.customers());
    // A third of the customers never order.
    if (customer % 3 == 0) {
      customer--;
    }
    LocalDate date = Planted.date(number, FIRST_DAY.plusDays(random.uniform(0, DAYS)));
    int count = Planted.lines(number, random.uniform(1, 7));
    List<Line> lines = new ArrayList<>(count);
    for (int line = 1; line <= count; line++) {
      lines.add(Planted.line(number, line, Line.draw(random, date, scale.parts())));
    }
    return new Order(key(number), customer, date, lines);
  }

  /** Only eight of 32 keys are used. */
  private static long key(int number) {
    return (number - 1L) / 8 * 32 + (number - 1) % 8 + 1;
  }

  long total() {
    return lines.stream().mapToLong(Line::total).sum();
  }

  char status() {
    long open = lines.stream().filter(Line::isOpen).count();
    if (open == 0) {
      return 'F';
    }
    return open == lines.size() ? 'O' : 'P';
  }
}
