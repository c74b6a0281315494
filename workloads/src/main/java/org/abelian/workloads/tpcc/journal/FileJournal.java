package org.abelian.workloads.tpcc.journal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A journal in a file. Each entry reaches the operating system before {@link #write} returns: it
 * survives the death of this process, not that of the machine.
 */
public final class FileJournal implements Journal, AutoCloseable {
  private final FileChannel channel;

  /** Opens the file for appending. */
  public FileJournal(Path file) throws IOException {
    channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
  }

  @Override
  public synchronized void write(Entry entry) {
    ByteBuffer line = ByteBuffer.wrap((entry.format() + "\n").getBytes(StandardCharsets.US_ASCII));
    try {
      while (line.hasRemaining()) {
        channel.write(line);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("the journal cannot be written", e);
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
