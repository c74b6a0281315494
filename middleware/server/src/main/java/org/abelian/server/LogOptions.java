package org.abelian.server;

import java.util.Locale;
import org.apache.logging.log4j.core.config.Configurator;
import picocli.CommandLine.Option;

/** How the server logs, which it does on standard error. */
final class LogOptions {
  /** What a line of the log is. */
  enum Format {
    /** Words for people. */
    TEXT,
    /** An object, with the fields of the Elastic Common Schema. */
    JSON
  }

  /** From which severity on something is logged. */
  enum Level {
    ERROR,
    WARN,
    INFO,
    DEBUG,
    TRACE
  }

  @Option(
      names = {"--log-format", "--log_format"},
      defaultValue = "text",
      description =
          "text, or json: an object per line, with the fields of the Elastic Common Schema"
              + " (default: ${DEFAULT-VALUE})")
  private Format format;

  @Option(
      names = {"--log-level", "--log_level"},
      defaultValue = "info",
      description =
          "error, warn, info, debug or trace: from which on it is logged (default:"
              + " ${DEFAULT-VALUE})")
  private Level level;

  /** Logs in that way from now on. */
  void apply() {
    System.setProperty("abelian.log.format", word(format)); // log4j2.xml reads both
    System.setProperty("abelian.log.level", word(level));
    Configurator.reconfigure();
  }

  private static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
