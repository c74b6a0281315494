package org.abelian.server.hba;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** The lines of pg_ident.conf: which role somebody may take who is known by another name. */
final class IdentMap {
  /** No maps. */
  static final IdentMap EMPTY = new IdentMap(List.of());

  /**
   * A line.
   *
   * @param pattern for the common name, where it is given after a slash; else null
   */
  private record Entry(String map, Words.Word name, Pattern pattern, Words.Word role) {
    boolean allows(String commonName, String wanted) {
      if (pattern == null) {
        return name.text().equals(commonName) && isRole(role.text(), wanted);
      }
      Matcher matcher = pattern.matcher(commonName);
      if (!matcher.find()) {
        return false;
      }
      String found = matcher.groupCount() > 0 && matcher.group(1) != null ? matcher.group(1) : "";
      return isRole(role.text().replace("\\1", found), wanted);
    }

    private boolean isRole(String allowed, String wanted) {
      return role.is("all") || allowed.equals(wanted);
    }
  }

  private final List<Entry> entries;

  private IdentMap(List<Entry> entries) {
    this.entries = entries;
  }

  /** Reads pg_ident.conf. */
  static IdentMap parse(String text) throws ConfigurationException {
    List<Entry> entries = new ArrayList<>();
    for (Words.Line line : Words.lines(text)) {
      if (line.fields().size() != 3) {
        throw new ConfigurationException(
            line.number(), "a line has the name of the map, a common name, and a role");
      }
      Words.Word name = line.word(1);
      Words.Word role = line.word(2);
      if (role.text().startsWith("/") || !role.quoted() && role.text().startsWith("+")) {
        throw new ConfigurationException(
            line.number(), "\"" + role.text() + "\": groups and patterns are not supported here");
      }
      Pattern pattern = null;
      if (name.text().startsWith("/")) {
        try {
          pattern = Pattern.compile(name.text().substring(1));
        } catch (PatternSyntaxException e) {
          throw new ConfigurationException(line.number(), "invalid pattern: " + e.getMessage());
        }
      }
      entries.add(new Entry(line.word(0).text(), name, pattern, role));
    }
    return new IdentMap(List.copyOf(entries));
  }

  /**
   * True when one of that common name may be the role.
   *
   * @param map null when both must be the same
   */
  boolean allows(String map, String commonName, String role) {
    if (map == null) {
      return commonName.equals(role);
    }
    return entries.stream()
        .anyMatch(entry -> entry.map().equals(map) && entry.allows(commonName, role));
  }
}
