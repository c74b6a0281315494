package org.abelian.server.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Settings, one a line, as in postgresql.conf: {@code name = value}, the equals sign may be left
 * out, a value may stand between single quotes, {@code #} begins a comment, the last line of a name
 * counts. Names are those of the options of the command line; dashes and underscores are the same.
 */
public final class ConfigFile implements IDefaultValueProvider {
  private static final Pattern LINE =
      Pattern.compile(
          "\\s*(?:([A-Za-z][\\w-]*)\\s*(?:=\\s*|\\s)\\s*"
              + "(?:'((?:[^']|'')*)'|([^'#\\s]\\S*))?)?\\s*(?:#.*)?");

  private final Path file;
  private final Map<String, String> values;

  private ConfigFile(Path file, Map<String, String> values) {
    this.file = file;
    this.values = values;
  }

  /**
   * Reads a file.
   *
   * @throws IOException when it cannot be read, or a line is none
   */
  public static ConfigFile read(Path file) throws IOException {
    Map<String, String> values = new LinkedHashMap<>();
    List<String> lines = Files.readAllLines(file);
    for (int at = 0; at < lines.size(); at++) {
      Matcher line = LINE.matcher(lines.get(at));
      boolean hasValue = line.matches() && (line.group(2) != null || line.group(3) != null);
      if (!line.matches() || line.group(1) != null && !hasValue) {
        throw new IOException(
            "syntax error in file \""
                + file
                + "\" line "
                + (at + 1)
                + ": "
                + lines.get(at).strip());
      }
      if (hasValue) {
        String quoted = line.group(2);
        values.put(name(line.group(1)), quoted == null ? line.group(3) : quoted.replace("''", "'"));
      }
    }
    return new ConfigFile(file, values);
  }

  private static String name(String written) {
    return written.toLowerCase(Locale.ROOT).replace('-', '_');
  }

  /**
   * Makes sure that each name is one of a command's options.
   *
   * @throws IOException with the name of one that is not
   */
  public void check(CommandSpec command) throws IOException {
    List<String> known =
        command.options().stream().map(option -> name(option.longestName().substring(2))).toList();
    for (String name : values.keySet()) {
      if (!known.contains(name)) {
        throw new IOException(
            "unrecognized configuration parameter \"" + name + "\" in file \"" + file + "\"");
      }
    }
  }

  /** The value of an option that the command line does not have; null to leave its default. */
  @Override
  public String defaultValue(ArgSpec argument) {
    return argument instanceof OptionSpec option
        ? values.get(name(option.longestName().replaceFirst("^-+", "")))
        : null;
  }
}
