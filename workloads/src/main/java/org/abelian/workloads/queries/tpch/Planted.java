package org.abelian.workloads.queries.tpch;

import java.time.LocalDate;

/**
 * Rows that are not left to chance, so that every query finds some in a small database, too: the
 * first parts, suppliers and orders have what the queries ask for.
 */
final class Planted {
  private static final int MEDIUM_BOX = 1;
  private static final int SMALL_CASE = 2;
  private static final int BRASS = 3;
  private static final int STEEL = 4;
  private static final int FOREST = 5;
  private static final int COMPLAINT = 7;

  /** An order of such quantities that query 18 finds it, shipped while query 20 looks. */
  private static final int LARGE = 1;

  private static final LocalDate LARGE_DATE = LocalDate.of(1994, 2, 1);

  /** An order with a line for query 19 and one for query 17. */
  private static final int SMALL = 2;

  private Planted() {}

  static Part part(int key, Part drawn) {
    return switch (key) {
      case MEDIUM_BOX -> new Part(drawn.name(), 23, drawn.type(), drawn.size(), "MED BOX");
      case SMALL_CASE -> new Part(drawn.name(), 12, drawn.type(), 3, "SM CASE");
      case BRASS ->
          new Part(drawn.name(), drawn.brand(), "LARGE PLATED BRASS", 15, drawn.container());
      case STEEL ->
          new Part(
              drawn.name(),
              drawn.brand(),
              "ECONOMY ANODIZED STEEL",
              drawn.size(),
              drawn.container());
      case FOREST ->
          new Part(
              "forest " + drawn.name().replaceFirst("\\S+ ", ""),
              drawn.brand(),
              drawn.type(),
              drawn.size(),
              drawn.container());
      default -> drawn;
    };
  }

  /** The nation of a supplier: the first of the brass part is European, and so on. */
  static int nation(int supplier, int drawn, TpchScale scale) {
    if (supplier == scale.supplier(BRASS, 0)) {
      return Nation.keyOf("GERMANY");
    }
    if (supplier == scale.supplier(FOREST, 0)) {
      return Nation.keyOf("CANADA");
    }
    return switch (supplier) {
      case 1 -> Nation.keyOf("SAUDI ARABIA");
      case 2 -> Nation.keyOf("FRANCE");
      case 3 -> Nation.keyOf("CHINA");
      default -> drawn;
    };
  }

  static boolean isComplainedOf(int supplier) {
    return supplier == COMPLAINT;
  }

  static LocalDate date(int order, LocalDate drawn) {
    return order == LARGE ? LARGE_DATE : drawn;
  }

  static int lines(int order, int drawn) {
    return switch (order) {
      case LARGE -> 7;
      case SMALL -> 2;
      default -> drawn;
    };
  }

  static Line line(int order, int number, Line drawn) {
    if (order == LARGE) {
      return number == 1 ? drawn.of(FOREST, 50) : drawn.of(drawn.part(), 50);
    }
    if (order == SMALL) {
      return number == 1 ? drawn.of(SMALL_CASE, 5).byAir() : drawn.of(MEDIUM_BOX, 1);
    }
    return drawn;
  }
}
