package org.abelian.cluster.placement;

import static org.abelian.cluster.placement.KeyType.BIGINT;
import static org.abelian.cluster.placement.KeyType.BOOLEAN;
import static org.abelian.cluster.placement.KeyType.CHAR;
import static org.abelian.cluster.placement.KeyType.DATE;
import static org.abelian.cluster.placement.KeyType.INTEGER;
import static org.abelian.cluster.placement.KeyType.NUMERIC;
import static org.abelian.cluster.placement.KeyType.SMALLINT;
import static org.abelian.cluster.placement.KeyType.TEXT;
import static org.abelian.cluster.placement.KeyType.UUID;
import static org.abelian.cluster.placement.KeyType.VARCHAR;

import java.util.ArrayList;
import java.util.List;

/** Every method with keys of every kind. */
final class PlacedTables {
  private static final String SOME_UUID = "00000000-0000-0001-0000-000000000004";

  private PlacedTables() {}

  static List<PlacedTable> all() {
    List<PlacedTable> all = new ArrayList<>(hashed());
    all.addAll(byRules());
    all.addAll(lookups());
    return all;
  }

  /** One column of every type; several; expressions. */
  static List<PlacedTable> hashed() {
    List<PlacedTable> tables = new ArrayList<>();
    for (KeyType type : KeyType.values()) {
      tables.add(PlacedTable.of("h_" + type.name().toLowerCase(), "k1", "hash", null, type));
    }
    tables.add(PlacedTable.of("h_pair", "k1, k2", "hash", null, INTEGER, TEXT));
    tables.add(PlacedTable.of("h_many", "k1, k2, k3, k4", "hash", null, UUID, DATE, BOOLEAN, CHAR));
    tables.add(PlacedTable.of("h_divided", "k1 / 10", "hash", null, INTEGER));
    tables.add(PlacedTable.of("h_rest", "k1 % 7", "hash", null, BIGINT));
    tables.add(PlacedTable.of("h_left", "left(k1, 2)", "hash", null, TEXT));
    tables.add(PlacedTable.of("h_left_char", "left(k1, 2)", "hash", null, CHAR));
    tables.add(
        PlacedTable.of(
            "h_mixed", "k1 / 100, k2, left(k3, 1)", "hash", null, SMALLINT, NUMERIC, VARCHAR));
    return tables;
  }

  static List<PlacedTable> byRules() {
    return List.of(
        PlacedTable.of(
            "r_integer",
            "k1",
            "range",
            "WHEN k1 < 100 THEN 0 WHEN k1 BETWEEN 100 AND 199 THEN 1 WHEN k1 <= 400 THEN 2 ELSE 3",
            INTEGER),
        PlacedTable.of(
            "r_date",
            "k1",
            "range",
            "WHEN k1 < '1999-01-01' THEN 0 WHEN k1 < '2010-06-15' THEN 1 WHEN k1 > '2030-01-01'"
                + " THEN 2 ELSE HASH",
            DATE),
        PlacedTable.of(
            "r_text", "k1", "range", "WHEN k1 < 'b' THEN 0 WHEN k1 >= 'é' THEN 2 ELSE 1", TEXT),
        PlacedTable.of(
            "r_open", "k1", "range", "WHEN k1 < 300 THEN 0 WHEN k1 < 600 THEN 1", BIGINT),
        PlacedTable.of(
            "r_divided", "k1 / 100", "range", "WHEN k1 / 100 < 2 THEN 0 ELSE 1", SMALLINT),
        PlacedTable.of(
            "l_text",
            "k1",
            "list",
            "WHEN k1 IN ('de', 'at') THEN 0 WHEN k1 = 'fr' THEN 1 ELSE HASH",
            VARCHAR),
        PlacedTable.of("l_char", "k1", "list", "WHEN k1 IN ('x', 'y') THEN 0 ELSE 1", CHAR),
        PlacedTable.of(
            "l_boolean", "k1", "list", "WHEN k1 = true THEN 2 WHEN k1 = false THEN 0", BOOLEAN),
        PlacedTable.of(
            "l_uuid", "k1", "list", "WHEN k1 = '" + SOME_UUID + "' THEN 0 ELSE HASH", UUID),
        PlacedTable.of(
            "l_rest",
            "k1 % 3",
            "list",
            "WHEN k1 % 3 IN (0, 1) THEN 0 WHEN k1 % 3 = 2 THEN 1 ELSE 2",
            INTEGER),
        PlacedTable.of(
            "m_pair",
            "k1, k2",
            "rules",
            "WHEN k1 < 100 AND k2 = 'x' THEN 0 WHEN k1 BETWEEN 100 AND 300 THEN 1 WHEN k2 IN"
                + " ('de', 'at') AND k1 > 400 THEN 2 ELSE HASH(k1)",
            INTEGER,
            TEXT),
        PlacedTable.of(
            "m_mixed",
            "k1, k2, left(k3, 1)",
            "rules",
            "WHEN k1 < '2005-01-01' AND k2 = true THEN 0 WHEN left(k3, 1) = 'a' THEN 1 WHEN k1 >="
                + " '2005-01-01' AND left(k3, 1) >= 'x' THEN 2 ELSE HASH",
            DATE,
            BOOLEAN,
            TEXT),
        PlacedTable.of(
            "m_open",
            "k1, k2",
            "rules",
            "WHEN k1 > 0 THEN 0 WHEN k2 < 50 THEN 1",
            NUMERIC,
            INTEGER));
  }

  static List<PlacedTable> lookups() {
    return List.of(
        PlacedTable.of("u_text", "k1", "lookup", null, TEXT).with("de", "3", "at", "30", "", "7"),
        PlacedTable.of("u_integer", "k1", "lookup", "ELSE 5", INTEGER)
            .with("100", "0", "-5", "31", "2147483647", "16"),
        PlacedTable.of("u_uuid", "k1", "lookup", null, UUID).with(SOME_UUID, "9"),
        PlacedTable.of("u_date", "k1", "lookup", "ELSE HASH", DATE)
            .with("infinity", "1", "0044-03-15 BC", "2", "2001-02-03", "20"),
        PlacedTable.of("u_divided", "k1 / 50", "lookup", "ELSE 1", INTEGER)
            .with("2", "31", "0", "0"));
  }
}
