package org.abelian.router.routing;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.abelian.router.error.AbelianException;

/** Which client encodings the router can read statements and keys in. */
public final class Encodings {
  /** SQL_ASCII converts nothing, so that texts have the encoding of the database. */
  private static final Set<String> UTF8 = Set.of("utf8", "unicode", "sqlascii");

  /** Encodings of which no byte of a longer character is an ASCII one, as Java calls them. */
  private static final Map<String, String> CHARSETS =
      Map.ofEntries(
          Map.entry("latin1", "ISO-8859-1"),
          Map.entry("iso88591", "ISO-8859-1"),
          Map.entry("latin2", "ISO-8859-2"),
          Map.entry("latin3", "ISO-8859-3"),
          Map.entry("latin4", "ISO-8859-4"),
          Map.entry("latin5", "ISO-8859-9"),
          Map.entry("latin7", "ISO-8859-13"),
          Map.entry("latin9", "ISO-8859-15"),
          Map.entry("iso88595", "ISO-8859-5"),
          Map.entry("iso88596", "ISO-8859-6"),
          Map.entry("iso88597", "ISO-8859-7"),
          Map.entry("iso88598", "ISO-8859-8"),
          Map.entry("koi8r", "KOI8-R"),
          Map.entry("koi8u", "KOI8-U"),
          Map.entry("win1250", "windows-1250"),
          Map.entry("win1251", "windows-1251"),
          Map.entry("win1252", "windows-1252"),
          Map.entry("win1253", "windows-1253"),
          Map.entry("win1254", "windows-1254"),
          Map.entry("win1255", "windows-1255"),
          Map.entry("win1256", "windows-1256"),
          Map.entry("win1257", "windows-1257"),
          Map.entry("win1258", "windows-1258"),
          Map.entry("windows1252", "windows-1252"));

  private Encodings() {}

  /** In which the router can look for delimiters and read keys; null for none. */
  static Charset charset(String encoding) {
    if (isUtf8(encoding)) {
      return StandardCharsets.UTF_8;
    }
    String name = CHARSETS.get(plain(encoding));
    return name == null || !Charset.isSupported(name) ? null : Charset.forName(name);
  }

  private static String plain(String encoding) {
    StringBuilder plain = new StringBuilder();
    for (char c : encoding.toLowerCase(Locale.ROOT).toCharArray()) {
      if (Character.isLetterOrDigit(c)) {
        plain.append(c);
      }
    }
    return plain.toString();
  }

  /** True when texts of that encoding are UTF-8, whatever the spelling of its name. */
  public static boolean isUtf8(String encoding) {
    return UTF8.contains(plain(encoding));
  }

  /**
   * Statements are analysed, and keys hashed, as UTF-8.
   *
   * @throws AbelianException 0A000 for another encoding
   */
  public static void requireUtf8(String encoding) {
    if (!isUtf8(encoding)) {
      throw AbelianException.unsupported(
          "client_encoding " + encoding + " is not supported through the router",
          "Use UTF8 (for libpq: PGCLIENTENCODING=UTF8).");
    }
  }
}
