package org.abelian.advisor.trace;

import java.nio.file.Path;
import org.abelian.advisor.AdvisorException;
import org.abelian.advisor.files.JsonFile;

/**
 * The files of a trace. docs/guide/advisor.md describes their columns.
 *
 * @param folder where they are
 */
public record TraceFiles(Path folder) {
  /** {@link TraceDescription}. */
  public Path descriptionFile() {
    return folder.resolve("trace.json");
  }

  /** One row for each transaction. */
  public Path transactions() {
    return folder.resolve("transactions.parquet");
  }

  /** One row for each time that a statement reads or writes a tuple. */
  public Path accesses() {
    return folder.resolve("accesses.parquet");
  }

  /**
   * Reads the description.
   *
   * @throws AdvisorException when it is missing or of another version
   */
  public TraceDescription description() {
    TraceDescription description = JsonFile.read(descriptionFile(), TraceDescription.class);
    if (description.version() != TraceDescription.CURRENT_VERSION) {
      throw new AdvisorException(
          descriptionFile() + " has version " + description.version() + ", which is not known");
    }
    return description;
  }
}
