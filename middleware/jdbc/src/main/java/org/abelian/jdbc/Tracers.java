package org.abelian.jdbc;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.abelian.router.trace.TraceSettings;
import org.abelian.router.trace.Tracer;

/**
 * The traces of this process, one for each folder, however many routers record into it. They end
 * with the process.
 */
final class Tracers {
  private record Opened(TraceSettings settings, Tracer tracer) {}

  private static final Map<Path, Opened> OPEN = new HashMap<>();

  private Tracers() {}

  /**
   * The trace with these settings, which is started when it is asked for first.
   *
   * @throws IOException when the folder or the key cannot be used, or the folder is another
   *     process's
   * @throws IllegalArgumentException when another URL has other settings for the folder
   */
  static synchronized Tracer of(TraceSettings settings) throws IOException {
    Opened opened = OPEN.get(settings.folder());
    if (opened == null) {
      opened = new Opened(settings, Tracer.open(settings));
      OPEN.put(settings.folder(), opened);
    } else if (!opened.settings().equals(settings)) {
      throw new IllegalArgumentException(
          "this process traces into " + settings.folder() + " with other settings already");
    }
    return opened.tracer();
  }
}
