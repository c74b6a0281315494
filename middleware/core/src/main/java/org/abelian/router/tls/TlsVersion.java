package org.abelian.router.tls;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * A version of the TLS protocol. The JVM refuses versions that its security property {@code
 * jdk.tls.disabledAlgorithms} names, whatever is asked for here.
 */
public enum TlsVersion {
  TLS_1_0("TLSv1"),
  TLS_1_1("TLSv1.1"),
  TLS_1_2("TLSv1.2"),
  TLS_1_3("TLSv1.3");

  private final String label;

  TlsVersion(String label) {
    this.label = label;
  }

  /**
   * Reads PostgreSQL's name, such as TLSv1.2, in any case.
   *
   * @param setting names the setting in the error
   * @throws IllegalArgumentException when there is no such version
   */
  public static TlsVersion parse(String setting, String text) {
    for (TlsVersion version : values()) {
      if (version.label.equalsIgnoreCase(text.strip())) {
        return version;
      }
    }
    throw new IllegalArgumentException(
        String.format(
            Locale.ROOT,
            "invalid value for %s: \"%s\"; the versions are %s",
            setting,
            text,
            Arrays.stream(values()).map(v -> v.label).collect(Collectors.joining(", "))));
  }

  /**
   * The JDK's names of the versions between two, which it has in common with PostgreSQL.
   *
   * @param max null for no upper limit
   * @throws IllegalArgumentException when there is none between them
   */
  static String[] between(TlsVersion min, TlsVersion max) {
    String[] names =
        Arrays.stream(values())
            .filter(v -> v.compareTo(min) >= 0 && (max == null || v.compareTo(max) <= 0))
            .map(v -> v.label)
            .toArray(String[]::new);
    if (names.length == 0) {
      throw new IllegalArgumentException(
          "the minimum TLS version " + min + " lies above the maximum " + max);
    }
    return names;
  }

  @Override
  public String toString() {
    return label;
  }
}
