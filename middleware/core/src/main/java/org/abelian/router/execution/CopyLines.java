package org.abelian.router.execution;

import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.protocol.ByteQueue;

/**
 * Divides the data of a COPY into lines, as PostgreSQL's CopyReadLineText does: a line ends where a
 * row ends, so that it may hold line feeds that are quoted or escaped. Not thread-safe.
 */
public final class CopyLines {
  /** A longer line is refused: somewhere a quote was not closed. */
  private static final int LONGEST_LINE = 64 << 20;

  /** Takes the lines. */
  @FunctionalInterface
  public interface Taker {
    /**
     * One row.
     *
     * @param to where its content ends
     * @param next where the end of the line ends; the same as {@code to} when there is none
     */
    void line(byte[] array, int from, int to, int next);
  }

  private enum LineEnd {
    UNKNOWN,
    LF,
    CR,
    CR_LF
  }

  private final CopyFormat format;
  private final Taker taker;
  private final ByteQueue pending = new ByteQueue(8192);

  /** How much of what is pending was looked at. */
  private int scanned;

  private LineEnd lineEnd = LineEnd.UNKNOWN;
  private boolean quoted;
  private boolean afterEscape;
  private boolean ended;

  /** Lines of that format for that taker. */
  public CopyLines(CopyFormat format, Taker taker) {
    this.format = format;
    this.taker = taker;
  }

  /** More data. */
  public void add(byte[] array, int from, int length) {
    if (ended) {
      return; // What follows the end-of-data marker is ignored.
    }
    pending.append(array, from, length);
    scan(false);
    if (pending.size() > LONGEST_LINE) {
      throw new AbelianException(
          SqlState.PROGRAM_LIMIT_EXCEEDED,
          "a line of COPY data is longer than " + (LONGEST_LINE >> 20) + " MB",
          "Look for a quote that is not closed; else write the row by INSERT.");
    }
  }

  /** True when the byte is one by which lines end here, be it inside quotes. */
  boolean endsLine(byte[] array, int at) {
    return array[at] == (lineEnd == LineEnd.LF ? '\n' : '\r');
  }

  /** True when a quote is open where the data end. */
  boolean isQuoted() {
    return quoted;
  }

  /** How a line ends here. */
  byte[] lineEnd() {
    return switch (lineEnd) {
      case CR -> new byte[] {'\r'};
      case CR_LF -> new byte[] {'\r', '\n'};
      default -> new byte[] {'\n'};
    };
  }

  /** All data has come. */
  public void end() {
    if (ended) {
      return;
    }
    scan(true);
    if (!ended && !pending.isEmpty()) {
      taker.line(pending.array(), pending.start(), pending.end(), pending.end());
    }
    ended = true;
  }

  private void scan(boolean all) {
    byte[] array = pending.array();
    int at = pending.start() + scanned;
    int end = pending.end();
    while (at < end && !ended) {
      byte c = array[at];
      boolean first = at == pending.start();
      if (!all && at + 1 == end && (c == '\r' || c == '\\')) {
        break; // What it means depends on the next byte.
      }
      if (format.csv()) {
        lookForQuote(c);
      }
      if ((c == '\n' || c == '\r') && !quoted) {
        at = endLine(array, at, end);
      } else if (c == '\\' && (!format.csv() || first)) {
        int next = backslash(array, at, end, all);
        if (next < 0) {
          break;
        }
        at = next;
      } else {
        at++;
      }
    }
    scanned = pending.isEmpty() ? 0 : at - pending.start();
  }

  private void lookForQuote(byte c) {
    boolean escape = c == format.escape() && format.escape() != format.quote();
    if (quoted && escape) {
      afterEscape = !afterEscape;
    }
    if (c == format.quote() && !afterEscape) {
      quoted = !quoted;
    }
    if (!escape) {
      afterEscape = false;
    }
  }

  private int endLine(byte[] array, int at, int end) {
    int next = at + 1;
    if (array[at] == '\n') {
      require(lineEnd == LineEnd.UNKNOWN || lineEnd == LineEnd.LF, "newline", "\\n");
      lineEnd = LineEnd.LF;
    } else {
      require(lineEnd != LineEnd.LF, "carriage return", "\\r");
      if (lineEnd != LineEnd.CR && next < end && array[next] == '\n') {
        lineEnd = LineEnd.CR_LF;
        next++;
      } else {
        require(lineEnd != LineEnd.CR_LF, "carriage return", "\\r");
        lineEnd = LineEnd.CR;
      }
    }
    taker.line(array, pending.start(), at, next);
    pending.consume(next - pending.start());
    return next;
  }

  /**
   * In text it takes the next byte's meaning, or ends the data.
   *
   * @return where to go on; negative when more must have come before
   */
  private int backslash(byte[] array, int at, int end, boolean all) {
    boolean marker = at + 1 < end && array[at + 1] == '.';
    if (!marker) {
      return format.csv() ? at + 1 : Math.min(at + 2, end);
    }
    if (at + 2 == end && !all) {
      return -1;
    }
    if (at + 2 < end && array[at + 2] != '\n' && array[at + 2] != '\r') {
      if (format.csv()) {
        return at + 2;
      }
      throw new AbelianException(SqlState.BAD_COPY_FILE_FORMAT, "end-of-copy marker corrupt", null);
    }
    if (at > pending.start()) {
      taker.line(array, pending.start(), at, at);
    }
    ended = true;
    pending.clear();
    return at;
  }

  private void require(boolean fits, String what, String spelling) {
    if (!fits) {
      throw new AbelianException(
          SqlState.BAD_COPY_FILE_FORMAT,
          (format.csv() ? "unquoted " : "literal ") + what + " found in data",
          format.csv()
              ? "Use quoted CSV field to represent " + what + "."
              : "Use \"" + spelling + "\" to represent " + what + ".");
    }
  }
}
