package org.abelian.router.backend;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.StringJoiner;
import java.util.TreeMap;

/**
 * What a node reports as {@code abelian.settings}: the settings that a session, its role or its
 * database has made. Immutable; two of the same values are equal.
 */
public final class ReportedSettings {
  /** Of a session that has set nothing. */
  public static final ReportedSettings NONE = new ReportedSettings("");

  private static final String ROLE = "role";
  private static final String AUTHORIZATION = "session_authorization";
  private static final String ISOLATION = "default_transaction_isolation";

  private final String text;

  /** By name; null for a parameter that is known by its name alone. */
  private final Map<String, String> values;

  private ReportedSettings(String text) {
    this.text = text;
    values = Collections.unmodifiableMap(parse(text));
  }

  /**
   * What the text says.
   *
   * @param text as a node reports it; null when it does not
   */
  public static ReportedSettings of(String text) {
    return text == null || text.isEmpty() ? NONE : new ReportedSettings(text);
  }

  private static Map<String, String> parse(String text) {
    Map<String, String> found = new LinkedHashMap<>();
    StringBuilder line = new StringBuilder();
    int equals = -1;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\n') {
        String name = equals < 0 ? line.toString() : line.substring(0, equals);
        found.put(name, equals < 0 ? null : line.substring(equals + 1));
        line.setLength(0);
        equals = -1;
        continue;
      }
      if (c == '\\' && i + 1 < text.length()) {
        c = text.charAt(++i);
      } else if (c == '=' && equals < 0) {
        equals = line.length();
      }
      line.append(c);
    }
    return found;
  }

  /** How many characters all of it has. */
  int length() {
    return text.length();
  }

  /** The values by name; null for a parameter that is known by its name alone. */
  public Map<String, String> values() {
    return values;
  }

  /** The value of a setting; null when it has its default. */
  public String value(String name) {
    return values.get(name);
  }

  /**
   * True when parameters are known here that sessions have made up, and are known neither there nor
   * to a new connection. No session can get rid of such; reading them gives nothing instead of an
   * error.
   */
  public boolean hasMoreNames(ReportedSettings wanted, ReportedSettings defaults) {
    return values.keySet().stream()
        .anyMatch(
            name ->
                name.indexOf('.') >= 0
                    && !name.startsWith("abelian.")
                    && !wanted.values.containsKey(name)
                    && !defaults.values.containsKey(name));
  }

  /**
   * True when all values are the same, and all names known there are known here. A transaction that
   * was rolled back leaves names of parameters that it had made up, without values.
   */
  public boolean agreesWith(ReportedSettings wanted) {
    return equals(wanted)
        || values.keySet().containsAll(wanted.values.keySet())
            && values.entrySet().stream()
                .allMatch(here -> Objects.equals(here.getValue(), wanted.value(here.getKey())));
  }

  /** What changes a session of these settings to one of those; empty when nothing does. */
  public String changeTo(ReportedSettings wanted) {
    StringBuilder sql = new StringBuilder();
    boolean changesAuthorization = differs(AUTHORIZATION, wanted);
    boolean changesRole = changesAuthorization || differs(ROLE, wanted);
    boolean actsAsRole = value(ROLE) != null;
    String others = changesOfOthers(wanted);
    if (actsAsRole && (changesRole || !others.isEmpty())) {
      sql.append("RESET ROLE;");
    }
    if (changesAuthorization) {
      sql.append("RESET SESSION AUTHORIZATION;");
    }
    sql.append(others);
    if (changesAuthorization && wanted.value(AUTHORIZATION) != null) {
      sql.append(set(AUTHORIZATION, wanted.value(AUTHORIZATION), false)).append(';');
    }
    if (sql.length() > 0 || changesRole) {
      if (wanted.value(ROLE) != null) {
        sql.append(set(ROLE, wanted.value(ROLE), false)).append(';');
      } else if (changesRole && !actsAsRole) {
        sql.append("RESET ROLE;");
      }
    }
    return sql.toString();
  }

  private boolean differs(String name, ReportedSettings wanted) {
    return !Objects.equals(value(name), wanted.value(name));
  }

  private String changesOfOthers(ReportedSettings wanted) {
    List<String> calls = new ArrayList<>();
    for (String name : names(wanted)) {
      String value = wanted.values.get(name);
      boolean known = values.containsKey(name);
      if (Objects.equals(value, values.get(name)) && known == wanted.values.containsKey(name)) {
        continue;
      }
      if (value == null && name.equals(ISOLATION)) {
        value = "read committed";
      }
      if (value == null && !known) {
        calls.add(call(name, "", false)); // A parameter comes into being by this.
      }
      calls.add(call(name, value, false));
    }
    return calls.isEmpty() ? "" : "SELECT " + String.join(",", calls) + ";";
  }

  private List<String> names(ReportedSettings wanted) {
    List<String> names = new ArrayList<>(values.keySet());
    wanted.values.keySet().stream().filter(name -> !values.containsKey(name)).forEach(names::add);
    names.remove(ROLE);
    names.remove(AUTHORIZATION);
    return names;
  }

  /**
   * What gives a transaction the settings that have changed from others to these; empty when none
   * have.
   */
  public String changesSince(ReportedSettings earlier) {
    StringJoiner calls = new StringJoiner(",", "SELECT ", "").setEmptyValue("");
    for (String name : earlier.names(this)) {
      String value = value(name);
      if (!Objects.equals(value, earlier.value(name))) {
        calls.add(call(name, value, true));
      }
    }
    if (differs(AUTHORIZATION, earlier)) {
      calls.add(call(AUTHORIZATION, value(AUTHORIZATION), true));
    }
    if (differs(ROLE, earlier)) {
      calls.add(call(ROLE, value(ROLE) == null ? "none" : value(ROLE), true));
    }
    return calls.toString();
  }

  /** The names of the settings that differ. */
  public List<String> namesChangedSince(ReportedSettings earlier) {
    List<String> names = new ArrayList<>(earlier.names(this));
    names.add(ROLE);
    names.add(AUTHORIZATION);
    names.removeIf(name -> !differs(name, earlier));
    return names;
  }

  private static String set(String name, String value, boolean local) {
    return "SELECT " + call(name, value, local);
  }

  /** Null sets a parameter back to its default. */
  private static String call(String name, String value, boolean local) {
    String literal = value == null ? "NULL" : quote(value);
    return "pg_catalog.set_config(" + quote(name) + "," + literal + "," + local + ")";
  }

  /** A literal that means the same whatever the session says about backslashes. */
  private static String quote(String text) {
    String doubled = text.replace("'", "''");
    return text.indexOf('\\') < 0
        ? "'" + doubled + "'"
        : " E'" + doubled.replace("\\", "\\\\") + "'";
  }

  /** These without one of the names. */
  public ReportedSettings without(String name) {
    Map<String, String> rest = new TreeMap<>(values);
    rest.remove(name);
    return of(rest);
  }

  /** These with what has changed from earlier settings to later ones. */
  public ReportedSettings withChanges(ReportedSettings earlier, ReportedSettings later) {
    Map<String, String> result = new TreeMap<>(values);
    for (String name : later.values.keySet()) {
      if (!earlier.values.containsKey(name)
          || !Objects.equals(earlier.value(name), later.value(name))) {
        result.put(name, later.value(name));
      }
    }
    for (String name : earlier.values.keySet()) {
      if (!later.values.containsKey(name)) {
        result.remove(name);
      }
    }
    return of(result);
  }

  private static ReportedSettings of(Map<String, String> values) {
    StringBuilder sum = new StringBuilder();
    values.forEach(
        (name, value) -> {
          sum.append(name);
          if (value != null) {
            sum.append('=').append(value.replace("\\", "\\\\").replace("\n", "\\\n"));
          }
          sum.append('\n');
        });
    return of(sum.toString());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ReportedSettings that
        && (text.equals(that.text) || values.equals(that.values));
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  /** The text, which stands for all of it. */
  @Override
  public String toString() {
    return text;
  }
}
