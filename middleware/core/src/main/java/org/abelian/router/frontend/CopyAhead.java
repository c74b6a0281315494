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
  private final ByteQueue input;
  private final ClientStatements statements;
  private final Portals portals;

  /**
   * @param input the client's messages
   * @param statements its prepared statements
   * @param portals what it has bound
   */
  CopyAhead(ByteQueue input, ClientStatements statements, Portals portals) {
    this.input = input;
    this.statements = statements;
    this.portals = portals;
  }

  /** True when one of the messages between two indexes parses, binds or runs what may be one. */
  boolean isIn(int from, int to) {
    for (int at = from; at < to; at += input.frameAt(at)) {
      if (mayCopy(input.array(), at, at + input.frameAt(at))) {
        return true;
      }
    }
    return false;
  }

  private boolean mayCopy(byte[] array, int at, int end) {
    try {
      return switch (array[at]) {
        case FrontendType.PARSE ->
            SharedStatement.mayCopy(new String(array, at, end - at, StandardCharsets.ISO_8859_1));
        case FrontendType.BIND -> {
          int nameAt = CString.end(array, at + 5, end) + 1;
          yield mayCopy(statements.get(array, nameAt, CString.end(array, nameAt, end)));
        }
        case FrontendType.EXECUTE -> {
          Portals.Portal bound = portals.get(array, at + 5, CString.end(array, at + 5, end));
          yield bound != null && mayCopy(bound.statement());
        }
        default -> false;
      };
    } catch (MalformedMessageException malformed) {
      return false; // It is refused when it is planned.
    }
  }

  private static boolean mayCopy(SharedStatement statement) {
    return statement != null && statement.mayCopy();
  }
}
