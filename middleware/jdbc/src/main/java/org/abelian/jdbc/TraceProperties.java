package org.abelian.jdbc;

import java.nio.file.Path;
import java.util.Properties;
import org.abelian.router.trace.TraceSettings;

/** Whether and how the driver records transactions; read from the URL or the properties. */
final class TraceProperties {
  /** Where files with transactions go; nothing is recorded without. */
  static final String FOLDER = "abelianTraceFolder";

  /** The share of the transactions, from 0 to 1. */
  static final String SHARE = "abelianTraceShare";

  /** The size of a file. */
  static final String FILE_MEGABYTES = "abelianTraceFileMegabytes";

  /** How many files are kept. */
  static final String FILES = "abelianTraceFiles";

  /** A file with the key by which values are hashed. */
  static final String KEY_FILE = "abelianTraceKeyFile";

  private TraceProperties() {}

  /**
   * Takes the properties out.
   *
   * @return null when nothing is to be recorded
   * @throws IllegalArgumentException when one is malformed
   */
  static TraceSettings take(Properties properties) {
    String folder = remove(properties, FOLDER, null);
    String share = remove(properties, SHARE, Double.toString(TraceSettings.ALL));
    String megabytes =
        remove(properties, FILE_MEGABYTES, Integer.toString(TraceSettings.FILE_MEGABYTES));
    String files = remove(properties, FILES, Integer.toString(TraceSettings.FILES));
    String key = remove(properties, KEY_FILE, null);
    if (folder == null) {
      if (key != null) {
        throw new IllegalArgumentException(KEY_FILE + " needs " + FOLDER);
      }
      return null;
    }
    return new TraceSettings(
        Path.of(folder).toAbsolutePath().normalize(),
        Double.parseDouble(share),
        Integer.parseInt(megabytes),
        Integer.parseInt(files),
        key == null ? null : Path.of(key));
  }

  private static String remove(Properties properties, String name, String byDefault) {
    String value = properties.getProperty(name);
    properties.remove(name);
    return value == null ? byDefault : value;
  }
}
