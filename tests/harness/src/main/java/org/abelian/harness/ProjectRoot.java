package org.abelian.harness;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where the clone lies: environment variable {@code ABELIAN_REPOSITORY}, which the build sets, or
 * the nearest folder upwards that has {@code scripts/node}.
 */
final class ProjectRoot {
  private ProjectRoot() {}

  static Path find() {
    String given = System.getenv("ABELIAN_REPOSITORY");
    if (given != null) {
      return Path.of(given);
    }
    Path start = Path.of("").toAbsolutePath();
    for (Path folder = start; folder != null; folder = folder.getParent()) {
      if (Files.isExecutable(folder.resolve("scripts/node"))) {
        return folder;
      }
    }
    throw new HarnessException("no scripts/node in any folder above " + start);
  }
}
