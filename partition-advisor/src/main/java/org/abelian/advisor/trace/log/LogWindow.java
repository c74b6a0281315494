package org.abelian.advisor.trace.log;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.abelian.advisor.AdvisorException;

/** The end of a log that is being written. */
public final class LogWindow {
  /** How a line of csvlog begins that is the first of its record. */
  private static final Pattern RECORD =
      Pattern.compile("(?m)^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d");

  private LogWindow() {}

  /**
   * Copies the last whole records of a log.
   *
   * @param log a file that ends in .csv, .json or .jsonl, or a folder, of which the newest such
   *     file is taken
   * @param bytes the most to copy
   * @param folder where the copy goes, under the log's own name
   * @return the copy
   * @throws AdvisorException when there is no such log, or no whole record in it
   */
  public static Path copy(Path log, int bytes, Path folder) {
    Path file = Files.isDirectory(log) ? newest(log) : log;
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      long from = Math.max(0, channel.size() - bytes);
      channel.position(from);
      byte[] read = Channels.newInputStream(channel).readNBytes(bytes);
      // Any byte is a character: records are found by ASCII, and what is cut is copied as it was.
      String text = new String(read, StandardCharsets.ISO_8859_1);
      boolean json = ServerLog.isJson(file);
      int begin = from == 0 ? 0 : json ? text.indexOf('\n') + 1 : firstRecord(text);
      int end = json ? text.lastIndexOf('\n') + 1 : lastEnd(text, begin);
      if (begin < 0 || begin >= end) {
        throw new AdvisorException(file + " has no whole record in its last " + bytes + " bytes");
      }
      Path copy = folder.resolve(file.getFileName());
      try (var out = Files.newOutputStream(copy)) {
        out.write(read, begin, end - begin);
      }
      return copy;
    } catch (IOException e) {
      throw new AdvisorException(file + " cannot be read: " + e.getMessage(), e);
    }
  }

  private static Path newest(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> file.toString().toLowerCase(Locale.ROOT).matches(".*\\.(csv|jsonl?)"))
          .max(Comparator.comparingLong(file -> file.toFile().lastModified()))
          .orElseThrow(() -> new AdvisorException(folder + " has no .csv, .json or .jsonl file"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Where the first record begins behind the cut, which may be inside a quoted text. */
  private static int firstRecord(String text) {
    Matcher start = RECORD.matcher(text);
    int line = text.indexOf('\n') + 1;
    return line > 0 && start.find(line) ? start.start() : -1;
  }

  /** Behind the last line end that is in no quotes. */
  private static int lastEnd(String text, int begin) {
    boolean quoted = false;
    int end = begin;
    for (int at = Math.max(0, begin); at < text.length(); at++) {
      char now = text.charAt(at);
      quoted ^= now == '"';
      if (now == '\n' && !quoted) {
        end = at + 1;
      }
    }
    return end;
  }
}
