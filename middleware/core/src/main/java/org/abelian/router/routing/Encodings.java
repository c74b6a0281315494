package org.abelian.router.routing;

import java.util.Locale;
import java.util.Set;

/** Which client encodings the router can read statements and keys in. */
public final class Encodings {
  /** SQL_ASCII converts nothing, so that texts have the encoding of the database. */
  private static final Set<String> UTF8 = Set.of("utf8", "unicode", "sqlascii");

  private Encodings() {}

  /** True when texts of that encoding are UTF-8, whatever the spelling of its name. */
  public static boolean isUtf8(String encoding) {
    return UTF8.contains(encoding.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", ""));
  }
}
