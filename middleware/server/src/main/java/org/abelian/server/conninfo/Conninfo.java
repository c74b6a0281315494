package org.abelian.server.conninfo;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Reads libpq's two forms of a connection string into options by name: {@code host=a port=1} and
 * {@code postgresql://user@a:1/database?option=value}; and a plain list of addresses.
 */
final class Conninfo {
  private static final String[] SCHEMES = {"postgresql://", "postgres://"};

  private final String text;
  private final Map<String, String> options = new LinkedHashMap<>();
  private int at;

  private Conninfo(String text) {
    this.text = text;
  }

  /**
   * Reads a string in any of the forms.
   *
   * @throws IllegalArgumentException when it is malformed
   */
  static Map<String, String> parse(String text) {
    for (String scheme : SCHEMES) {
      if (text.startsWith(scheme)) {
        Conninfo uri = new Conninfo(text.substring(scheme.length()));
        uri.readUri();
        return uri.options;
      }
    }
    Conninfo conninfo = new Conninfo(text);
    if (text.indexOf('=') >= 0) {
      conninfo.readPairs();
    } else {
      conninfo.readAddresses(text.strip());
    }
    return conninfo.options;
  }

  private void readPairs() {
    while (skipBlanks()) {
      int start = at;
      while (at < text.length() && text.charAt(at) != '=' && !isBlank()) {
        at++;
      }
      String name = text.substring(start, at);
      skipBlanks();
      if (at == text.length() || text.charAt(at) != '=') {
        throw new IllegalArgumentException(
            "missing \"=\" after \"" + name + "\" in connection info string");
      }
      at++;
      skipBlanks();
      options.put(name, value());
    }
  }

  private boolean skipBlanks() {
    while (at < text.length() && isBlank()) {
      at++;
    }
    return at < text.length();
  }

  private boolean isBlank() {
    return Character.isWhitespace(text.charAt(at));
  }

  /** A value up to a blank, or in quotes; a backslash takes the next character as it is. */
  private String value() {
    StringBuilder value = new StringBuilder();
    boolean quoted = at < text.length() && text.charAt(at) == '\'';
    if (quoted) {
      at++;
    }
    for (; at < text.length(); at++) {
      char c = text.charAt(at);
      if (quoted ? c == '\'' : isBlank()) {
        break;
      }
      if (c == '\\' && at + 1 < text.length()) {
        at++;
        c = text.charAt(at);
      }
      value.append(c);
    }
    if (quoted) {
      if (at == text.length()) {
        throw new IllegalArgumentException("unterminated quoted string in connection info string");
      }
      at++;
    }
    return value.toString();
  }

  private void readUri() {
    String rest = text;
    int question = rest.indexOf('?');
    if (question >= 0) {
      readParameters(rest.substring(question + 1));
      rest = rest.substring(0, question);
    }
    int slash = rest.indexOf('/');
    if (slash >= 0) {
      put("dbname", decode(rest.substring(slash + 1)));
      rest = rest.substring(0, slash);
    }
    int sign = rest.lastIndexOf('@');
    if (sign >= 0) {
      String user = rest.substring(0, sign);
      int colon = user.indexOf(':');
      put("user", decode(colon < 0 ? user : user.substring(0, colon)));
      put("password", colon < 0 ? "" : decode(user.substring(colon + 1)));
      rest = rest.substring(sign + 1);
    }
    if (!rest.isEmpty()) {
      readAddresses(rest);
    }
  }

  /** What is left out is said elsewhere, or has a default. */
  private void put(String name, String value) {
    if (!value.isEmpty()) {
      options.putIfAbsent(name, value);
    }
  }

  private void readParameters(String parameters) {
    for (String parameter : parameters.split("&")) {
      int equals = parameter.indexOf('=');
      if (equals <= 0) {
        throw new IllegalArgumentException(
            "missing key/value separator \"=\" in URI query parameter \"" + parameter + "\"");
      }
      String name = decode(parameter.substring(0, equals));
      String value = decode(parameter.substring(equals + 1));
      if (name.equals("ssl") && value.equals("true")) {
        options.put("sslmode", "require"); // As libpq takes what JDBC's users write.
      } else {
        options.put(name, value);
      }
    }
  }

  private void readAddresses(String addresses) {
    StringBuilder hosts = new StringBuilder();
    StringBuilder ports = new StringBuilder();
    for (String address : addresses.split(",", -1)) {
      String host = address.strip();
      int colon = host.lastIndexOf(':');
      boolean hasPort = colon >= 0 && host.indexOf(']', colon) < 0;
      hosts.append(',').append(decode(hasPort ? host.substring(0, colon) : host));
      ports.append(',').append(hasPort ? host.substring(colon + 1) : "");
    }
    options.putIfAbsent("host", hosts.substring(1));
    options.putIfAbsent("port", ports.substring(1));
  }

  /** Percent signs; a plus stays what it is. */
  private static String decode(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
  }
}
