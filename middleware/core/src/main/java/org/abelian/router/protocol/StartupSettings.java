package org.abelian.router.protocol;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a client asks for when it connects, taken apart: settings that any connection of its role
 * can be brought to, and what only a connection can have that is opened with it.
 *
 * @param settings values by name in lower case, in the order in which they are to be made
 * @param fixed parameters of the StartupMessage to a node: role, database, and the rest
 */
public record StartupSettings(Map<String, String> settings, Map<String, String> fixed) {
  private static final String OPTIONS = "options";
  private static final Set<String> IDENTITY = Set.of("user", "database");
  private static final Set<String> OF_PROTOCOL = Set.of("replication");

  /** Settings that PostgreSQL takes at the start of a connection only. */
  private static final Set<String> AT_START_ONLY =
      Set.of(
          "ignore_system_indexes",
          "jit_debugging_support",
          "jit_profiling_support",
          "local_preload_libraries",
          "log_connections",
          "log_disconnections",
          "post_auth_delay",
          "session_preload_libraries");

  /** Settings whose values are lists of names. */
  private static final Set<String> LISTS_OF_NAMES = Set.of("search_path", "temp_tablespaces");

  /** Takes a client's parameters apart. */
  public static StartupSettings of(StartupMessage startup) {
    Map<String, String> settings = new LinkedHashMap<>();
    Map<String, String> fixed = new LinkedHashMap<>();
    fixed.put("user", startup.user());
    fixed.put("database", startup.database());
    String options = startup.parameters().get(OPTIONS);
    if (options != null && !switches(options, settings)) {
      settings.clear();
      fixed.put(OPTIONS, options);
    }
    startup
        .parameters()
        .forEach(
            (name, value) -> {
              String lower = name.toLowerCase(Locale.ROOT);
              if (!isOfProtocol(lower) && !lower.equals(OPTIONS)) {
                settings.remove(lower);
                settings.put(lower, value);
              }
            });
    for (String name : AT_START_ONLY) {
      String value = settings.remove(name);
      if (value != null) {
        fixed.put(name, value);
      }
    }
    return new StartupSettings(settings, Map.copyOf(fixed));
  }

  private static boolean isOfProtocol(String name) {
    return IDENTITY.contains(name) || OF_PROTOCOL.contains(name) || name.startsWith("_pq_.");
  }

  /** Reads {@code -c name=value} and {@code --name=value}; false when there is something else. */
  private static boolean switches(String options, Map<String, String> settings) {
    List<String> words = words(options);
    for (int i = 0; i < words.size(); i++) {
      String word = words.get(i);
      String assignment;
      if (word.equals("-c") && i + 1 < words.size()) {
        assignment = words.get(++i);
      } else if (word.startsWith("-c") || word.startsWith("--")) {
        assignment = word.substring(2);
      } else {
        return false;
      }
      int equals = assignment.indexOf('=');
      if (equals <= 0) {
        return false;
      }
      String name = assignment.substring(0, equals).replace('-', '_').toLowerCase(Locale.ROOT);
      settings.remove(name);
      settings.put(name, assignment.substring(equals + 1));
    }
    return true;
  }

  /** Words between blanks; a backslash takes the next character as it is. */
  private static List<String> words(String options) {
    List<String> words = new ArrayList<>();
    StringBuilder word = new StringBuilder();
    boolean inWord = false;
    for (int i = 0; i < options.length(); i++) {
      char c = options.charAt(i);
      boolean escaped = c == '\\' && i + 1 < options.length();
      if (!escaped && Character.isWhitespace(c)) {
        if (inWord) {
          words.add(word.toString());
          word.setLength(0);
        }
        inWord = false;
      } else {
        word.append(escaped ? options.charAt(++i) : c);
        inWord = true;
      }
    }
    if (inWord) {
      words.add(word.toString());
    }
    return words;
  }

  /** The statements that make all settings, as the start of a connection would. */
  public List<String> statements() {
    return settings.keySet().stream().map(this::statement).toList();
  }

  /** The statement that makes one of them again; null when the client did not ask for it. */
  public String statement(String name) {
    String value = settings.get(name);
    if (value == null) {
      return null;
    }
    String quoted =
        Arrays.stream(name.split("\\.", -1))
            .map(part -> '"' + part.replace("\"", "\"\"") + '"')
            .collect(Collectors.joining("."));
    List<String> values = LISTS_OF_NAMES.contains(name) ? names(value) : List.of(value);
    return values.stream()
        .map(StartupSettings::literal)
        .collect(Collectors.joining(",", "SET " + quoted + " TO ", ""));
  }

  /** SET takes each name by itself, while a start-up parameter has all of them in one string. */
  private static List<String> names(String list) {
    List<String> names = new ArrayList<>();
    StringBuilder name = new StringBuilder();
    boolean quoted = false;
    for (int i = 0; i < list.length(); i++) {
      char c = list.charAt(i);
      if (c == '"' && quoted && i + 1 < list.length() && list.charAt(i + 1) == '"') {
        name.append(c);
        i++;
      } else if (c == '"') {
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        names.add(name.toString());
        name.setLength(0);
      } else if (quoted) {
        name.append(c);
      } else if (!Character.isWhitespace(c)) {
        name.append(Character.toLowerCase(c));
      }
    }
    names.add(name.toString());
    return names;
  }

  private static String literal(String text) {
    String quoted = "'" + text.replace("'", "''") + "'";
    return text.indexOf('\\') < 0 ? quoted : " E" + quoted.replace("\\", "\\\\");
  }
}
