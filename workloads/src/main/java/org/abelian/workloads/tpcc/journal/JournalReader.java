package org.abelian.workloads.tpcc.journal;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The last verdict of every journalled attempt. */
public final class JournalReader {
  private JournalReader() {}

  /**
   * Reads journals. A last line that was cut off by the death of its writer is ignored: its verdict
   * never reached anybody.
   *
   * @throws IOException when a file cannot be read or has a line that is no entry
   */
  public static Map<EntryKey, Verdict> read(List<Path> files) throws IOException {
    Map<EntryKey, Verdict> verdicts = new HashMap<>();
    for (Path file : files) {
      read(file, verdicts);
    }
    return verdicts;
  }

  private static void read(Path file, Map<EntryKey, Verdict> verdicts) throws IOException {
    boolean whole = endsWithLineEnd(file);
    try (BufferedReader reader = Files.newBufferedReader(file, StandardCharsets.US_ASCII)) {
      String line = reader.readLine();
      while (line != null) {
        String next = reader.readLine();
        if (next != null || whole) {
          Entry entry = parse(file, line);
          verdicts.put(entry.key(), entry.verdict());
        }
        line = next;
      }
    }
  }

  private static Entry parse(Path file, String line) throws IOException {
    try {
      return Entry.parse(line);
    } catch (IllegalArgumentException e) {
      throw new IOException(file + ": " + e.getMessage(), e);
    }
  }

  private static boolean endsWithLineEnd(Path file) throws IOException {
    try (var channel = Files.newByteChannel(file)) {
      if (channel.size() == 0) {
        return true;
      }
      channel.position(channel.size() - 1);
      var last = ByteBuffer.allocate(1);
      channel.read(last);
      return last.get(0) == '\n';
    }
  }
}
