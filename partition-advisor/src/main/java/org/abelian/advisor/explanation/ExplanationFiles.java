package org.abelian.advisor.explanation;

import java.nio.file.Path;
import org.abelian.advisor.files.JsonFile;

/**
 * The files of an explanation.
 *
 * @param folder where they are
 */
public record ExplanationFiles(Path folder) {
  /** {@link Explanation}. */
  public Path explanationFile() {
    return folder.resolve("explanation.json");
  }

  /** The maps of lookup placements: map, value, partition. */
  public Path lookups() {
    return folder.resolve("lookups.parquet");
  }

  /** Reads the candidates. */
  public Explanation explanation() {
    return JsonFile.read(explanationFile(), Explanation.class);
  }
}
