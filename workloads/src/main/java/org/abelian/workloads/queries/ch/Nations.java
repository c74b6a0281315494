package org.abelian.workloads.queries.ch;

import java.util.List;

/**
 * The nations of CH-benCHmark. The key of a nation is the code of a letter or digit, since the
 * first character of a customer's state tells the nation.
 */
final class Nations {
  static final List<String> REGIONS = List.of("Africa", "America", "Asia", "Australia", "Europe");

  /** Nations by region, in the order of {@link #REGIONS}. */
  private static final List<List<String>> NAMES =
      List.of(
          List.of(
              "Algeria",
              "Angola",
              "Egypt",
              "Ethiopia",
              "Ghana",
              "Kenya",
              "Mali",
              "Morocco",
              "Mozambique",
              "Nigeria",
              "Senegal",
              "Tanzania"),
          List.of(
              "Argentina",
              "Bolivia",
              "Brazil",
              "Canada",
              "Chile",
              "Colombia",
              "Cuba",
              "Ecuador",
              "Mexico",
              "Panama",
              "Peru",
              "United States",
              "Uruguay"),
          List.of(
              "Cambodia",
              "China",
              "India",
              "Indonesia",
              "Iran",
              "Iraq",
              "Japan",
              "Jordan",
              "Malaysia",
              "Nepal",
              "Pakistan",
              "Saudi Arabia",
              "South Korea",
              "Thailand",
              "Vietnam"),
          List.of("Australia", "Fiji", "New Zealand", "Papua New Guinea", "Samoa", "Tonga"),
          List.of(
              "Austria",
              "Belgium",
              "Denmark",
              "Finland",
              "France",
              "Germany",
              "Greece",
              "Hungary",
              "Ireland",
              "Italy",
              "Netherlands",
              "Norway",
              "Poland",
              "Portugal",
              "Romania",
              "Spain"));

  private static final String KEYS =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

  private Nations() {}

  /** How many there are. */
  static int count() {
    return KEYS.length();
  }

  static int key(int place) {
    return KEYS.charAt(place);
  }

  static int keyOf(String name) {
    int place = 0;
    for (List<String> names : NAMES) {
      if (names.contains(name)) {
        return key(place + names.indexOf(name));
      }
      place += names.size();
    }
    throw new IllegalArgumentException("there is no nation " + name);
  }

  /** Takes one nation. */
  @FunctionalInterface
  interface Reader<E extends Exception> {
    void read(int key, String name, int region) throws E;
  }

  static <E extends Exception> void forEach(Reader<E> reader) throws E {
    int place = 0;
    for (int region = 0; region < NAMES.size(); region++) {
      for (String name : NAMES.get(region)) {
        reader.read(key(place++), name, region + 1);
      }
    }
  }
}
