package org.abelian.advisor.partitioning;

import java.nio.file.Path;
import org.abelian.advisor.files.JsonFile;

/**
 * The files of a partitioning.
 *
 * @param folder where they are
 */
public record PartitioningFiles(Path folder) {
  /** In place of a partition: a copy on each. */
  public static final int REPLICATED = -1;

  /** {@link PartitioningDescription}. */
  public Path descriptionFile() {
    return folder.resolve("partitioning.json");
  }

  /** Where each tuple lies: table_name, identity, partition, accesses. */
  public Path tuples() {
    return folder.resolve("tuples.parquet");
  }

  /** Reads the description. */
  public PartitioningDescription description() {
    return JsonFile.read(descriptionFile(), PartitioningDescription.class);
  }
}
