package org.abelian.server.conninfo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** libpq's connection service file: named sets of options. */
final class ServiceFile {
  private ServiceFile() {}

  /**
   * The options of a service, from the first file that defines it: PGSERVICEFILE or
   * ~/.pg_service.conf, then pg_service.conf in PGSYSCONFDIR.
   *
   * @throws IllegalArgumentException when none does, or a file is malformed
   */
  static Map<String, String> find(String service, Map<String, String> environment)
      throws IOException {
    List<Path> files = new ArrayList<>();
    String named = environment.get("PGSERVICEFILE");
    if (named != null) {
      files.add(Path.of(named));
      if (!Files.exists(files.get(0))) {
        throw new IllegalArgumentException("service file \"" + named + "\" not found");
      }
    } else {
      files.add(Path.of(System.getProperty("user.home"), ".pg_service.conf"));
    }
    String system = environment.get("PGSYSCONFDIR");
    if (system != null) {
      files.add(Path.of(system, "pg_service.conf"));
    }
    for (Path file : files) {
      Map<String, String> options = Files.exists(file) ? read(file, service) : null;
      if (options != null) {
        return options;
      }
    }
    throw new IllegalArgumentException("definition of service \"" + service + "\" not found");
  }

  private static Map<String, String> read(Path file, String service) throws IOException {
    Map<String, String> options = null;
    int number = 0;
    for (String raw : Files.readAllLines(file)) {
      number++;
      String line = raw.strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      if (line.startsWith("[")) {
        if (options != null) {
          return options;
        }
        options = line.equals("[" + service + "]") ? new LinkedHashMap<>() : null;
      } else if (options != null) {
        int equals = line.indexOf('=');
        if (equals <= 0 || line.startsWith("service=")) {
          throw new IllegalArgumentException(
              "syntax error in service file \"" + file + "\", line " + number);
        }
        options.putIfAbsent(line.substring(0, equals).strip(), line.substring(equals + 1).strip());
      }
    }
    return options;
  }
}
