package org.abelian.router.trace;

import java.nio.file.Path;

/**
 * How a router traces.
 *
 * @param folder where the files go; one router writes there at a time
 * @param share of the transactions that are recorded; above 0, at most 1
 * @param fileMegabytes when a file has this size, the next one begins
 * @param files how many are kept; the oldest are deleted
 * @param keyFile its bytes are the key by which values are hashed; null to record them as they are
 */
public record TraceSettings(Path folder, double share, int fileMegabytes, int files, Path keyFile) {
  /** The usual share: every transaction. */
  public static final double ALL = 1;

  /** The usual size of a file. */
  public static final int FILE_MEGABYTES = 64;

  /** The usual number of files. */
  public static final int FILES = 16;

  private static final int FILE_MEGABYTES_MAX = 1 << 20;
  private static final int FILES_MAX = 10_000;

  /**
   * Checks the bounds.
   *
   * @throws IllegalArgumentException when something is out of them
   */
  public TraceSettings {
    if (!(share > 0 && share <= 1)) {
      throw new IllegalArgumentException(
          "the share of transactions to trace must be above 0 and at most 1, not " + share);
    }
    if (fileMegabytes < 1 || fileMegabytes > FILE_MEGABYTES_MAX) {
      throw new IllegalArgumentException(
          "a trace file has 1 to " + FILE_MEGABYTES_MAX + " megabytes, not " + fileMegabytes);
    }
    if (files < 1 || files > FILES_MAX) {
      throw new IllegalArgumentException(
          "1 to " + FILES_MAX + " trace files can be kept, not " + files);
    }
  }

  /** The size of a file in bytes. */
  long fileBytes() {
    return (long) fileMegabytes << 20;
  }
}
