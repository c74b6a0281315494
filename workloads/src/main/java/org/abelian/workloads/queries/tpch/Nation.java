package org.abelian.workloads.queries.tpch;

import java.util.List;

/**
 * A nation of the specification; its key is its place in the list.
 *
 * @param region place of its region
 */
record Nation(String name, int region) {
  static final List<String> REGIONS = List.of("AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST");

  static final List<Nation> ALL =
      List.of(
          new Nation("ALGERIA", 0),
          new Nation("ARGENTINA", 1),
          new Nation("BRAZIL", 1),
          new Nation("CANADA", 1),
          new Nation("EGYPT", 4),
          new Nation("ETHIOPIA", 0),
          new Nation("FRANCE", 3),
          new Nation("GERMANY", 3),
          new Nation("INDIA", 2),
          new Nation("INDONESIA", 2),
          new Nation("IRAN", 4),
          new Nation("IRAQ", 4),
          new Nation("JAPAN", 2),
          new Nation("JORDAN", 4),
          new Nation("KENYA", 0),
          new Nation("MOROCCO", 0),
          new Nation("MOZAMBIQUE", 0),
          new Nation("PERU", 1),
          new Nation("CHINA", 2),
          new Nation("ROMANIA", 3),
          new Nation("SAUDI ARABIA", 4),
          new Nation("VIETNAM", 2),
          new Nation("RUSSIA", 3),
          new Nation("UNITED KINGDOM", 3),
          new Nation("UNITED STATES", 1));

  static int keyOf(String name) {
    for (int key = 0; key < ALL.size(); key++) {
      if (ALL.get(key).name().equals(name)) {
        return key;
      }
    }
    throw new IllegalArgumentException("there is no nation " + name);
  }
}
