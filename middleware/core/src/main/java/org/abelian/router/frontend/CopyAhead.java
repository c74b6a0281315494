package org.abelian.router.frontend;

import java.nio.charset.StandardCharsets;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.CString;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.protocol.MalformedMessageException;
import org.abelian.router.statement.ClientStatements;
import org.abelian.router.statement.SharedStatement;

/**
 * Whether messages of a group that has not ended may run a COPY FROM STDIN. A server answers that
 * without a Flush or Sync, and a client may send nothing before it has this answer.
 */
final class CopyAhead {
  private static final String SOURCE = "stdin";

  private final ByteQueue input;
  private final ClientStatements statements;

  /**
   * @param input the client's messages
   * @param statements its prepared statements
   */
  CopyAhead(ByteQueue input, ClientStatements statements) {
    this.input = input;
    this.statements = statements;
  }

  /** True when one of the messages between two indexes parses or binds what may be one. */
  boolean isIn(int from, int to) {
    for (int at = from; at < to; at += input.frameAt(at)) {
      if (mayCopy(input.array(), at, at + input.frameAt(at))) {
        return true;
      }
    }
    return false;
  }

  private boolean mayCopy(byte[] array, int at, int end) {
    if (array[at] == FrontendType.PARSE) {
      return mentionsSource(new String(array, at, end - at, StandardCharsets.ISO_8859_1));
    } else if (array[at] != FrontendType.BIND) {
      return false;
    }
    try {
      int nameAt = CString.end(array, at + 5, end) + 1;
      SharedStatement bound = statements.get(array, nameAt, CString.end(array, nameAt, end));
      return bound != null && mentionsSource(bound.sql());
    } catch (MalformedMessageException malformed) {
      return false; // It is refused when it is planned.
    }
  }

  private static boolean mentionsSource(String sql) {
    for (int i = 0; i <= sql.length() - SOURCE.length(); i++) {
      if (sql.regionMatches(true, i, SOURCE, 0, SOURCE.length())) {
        return true;
      }
    }
    return false;
  }
}
