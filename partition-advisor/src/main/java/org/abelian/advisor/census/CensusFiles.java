package org.abelian.advisor.census;

import java.nio.file.Path;
import org.abelian.advisor.files.JsonFile;

/**
 * The files of a census.
 *
 * @param folder where they are
 */
public record CensusFiles(Path folder) {
  /** {@link Census}. */
  public Path censusFile() {
    return folder.resolve("census.json");
  }

  /**
   * Rows by table, node (from 0) and values of the counted columns, as one text with {@link
   * org.abelian.advisor.workload.TupleIdentity#SEPARATOR} between them.
   */
  public Path rows() {
    return folder.resolve("rows.parquet");
  }

  /** Reads the description. */
  public Census census() {
    return JsonFile.read(censusFile(), Census.class);
  }
}
