package org.abelian.server;

import java.io.IOException;
import java.nio.file.Path;
import org.abelian.router.trace.TraceSettings;
import org.abelian.router.trace.Tracer;
import picocli.CommandLine.Option;

/** Whether and how the server records transactions. */
final class TraceOptions {
  @Option(
      names = "--trace-folder",
      description =
          "records transactions there for the partition advisor, in files that only their owner may"
              + " read; each server needs a folder of its own (default: nothing is recorded)")
  private Path folder;

  @Option(
      names = "--trace-share",
      defaultValue = "1",
      description = "share of the transactions, from 0 to 1 (default: ${DEFAULT-VALUE})")
  private double share;

  @Option(
      names = "--trace-file-megabytes",
      defaultValue = "64",
      description = "size of a file (default: ${DEFAULT-VALUE})")
  private int fileMegabytes;

  @Option(
      names = "--trace-files",
      defaultValue = "16",
      description = "files that are kept; the oldest are deleted (default: ${DEFAULT-VALUE})")
  private int files;

  @Option(
      names = "--trace-key-file",
      description =
          "file with a key of 16 bytes or more by which values are hashed (default: they are"
              + " recorded as they are)")
  private Path keyFile;

  /**
   * Starts to record; null when that is not asked for.
   *
   * @throws IOException when the folder or the key cannot be used
   */
  Tracer open() throws IOException {
    if (folder == null) {
      if (keyFile != null) {
        throw new IllegalArgumentException("--trace-key-file needs --trace-folder");
      }
      return null;
    }
    return Tracer.open(new TraceSettings(folder, share, fileMegabytes, files, keyFile));
  }
}
