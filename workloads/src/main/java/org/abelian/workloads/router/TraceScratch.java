package org.abelian.workloads.router;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.abelian.workloads.database.Database;

/** A folder into which the driver records transactions; closing deletes it. */
public final class TraceScratch implements AutoCloseable {
  private final Path folder;

  private TraceScratch(Path folder) {
    this.folder = folder;
  }

  /** An empty one. */
  public static TraceScratch create() throws IOException {
    return new TraceScratch(Files.createTempDirectory("abelian-trace"));
  }

  /** The same cluster by a driver that records there. */
  public Database tracing(Database driver) {
    String separator = driver.url().contains("?") ? "&" : "?";
    return new Database(
        driver.url() + separator + "abelianTraceFolder=" + folder,
        driver.user(),
        driver.password());
  }

  @Override
  public void close() throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      List<Path> files = all.sorted(Comparator.reverseOrder()).toList();
      for (Path file : files) {
        Files.deleteIfExists(file);
      }
    }
  }
}
