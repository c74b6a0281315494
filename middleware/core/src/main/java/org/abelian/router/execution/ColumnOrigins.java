package org.abelian.router.execution;

import java.io.IOException;
import java.util.Arrays;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.protocol.BackendType;
import org.abelian.router.protocol.BigEndian;
import org.abelian.router.protocol.CString;

/**
 * Where the columns of a statement come from, and their type modifiers, as a node described the
 * statement itself. A query that finishes other nodes' rows gives the same columns but has lost
 * both; they are put back into its description.
 */
public final class ColumnOrigins {
  private static final int TABLE = 0;
  private static final int ATTRIBUTE = 4;
  private static final int TYPE = 6;
  private static final int MODIFIER = 12;
  private static final int FIELD_LENGTH = 18;

  private volatile byte[] original;

  /** True when the statement was described. */
  public boolean isKnown() {
    return original != null;
  }

  /** The answer to a Describe of the statement itself: remembered, and not shown. */
  public Reply learn(NodeConnection connection) {
    return new OfOrigins(connection, true);
  }

  /** The answer to a Describe of the query that finishes its rows: shown with what is known. */
  public Reply restore(NodeConnection connection) {
    return new OfOrigins(connection, false);
  }

  /** Copies table, attribute and modifier where the types agree; the frames are RowDescriptions. */
  static void restore(byte[] original, byte[] frame) {
    int count = BigEndian.int2(frame, 5);
    if (count != BigEndian.int2(original, 5)) {
      return;
    }
    int from = 7;
    int to = 7;
    for (int i = 0; i < count; i++) {
      from = CString.end(original, from, original.length) + 1;
      to = CString.end(frame, to, frame.length) + 1;
      if (BigEndian.int4(original, from + TYPE) == BigEndian.int4(frame, to + TYPE)) {
        System.arraycopy(original, from + TABLE, frame, to + TABLE, 4);
        System.arraycopy(original, from + ATTRIBUTE, frame, to + ATTRIBUTE, 2);
        System.arraycopy(original, from + MODIFIER, frame, to + MODIFIER, 4);
      }
      from += FIELD_LENGTH;
      to += FIELD_LENGTH;
    }
  }

  private final class OfOrigins extends Reply {
    private final NodeConnection connection;
    private final boolean learns;

    OfOrigins(NodeConnection connection, boolean learns) {
      this.connection = connection;
      this.learns = learns;
    }

    @Override
    public boolean run(ReplyContext context) throws IOException {
      try {
        connection.timeout(context.timeout());
        for (; ; ) {
          int length = connection.awaitFrame();
          int at = connection.incoming().start();
          byte[] frame = Arrays.copyOfRange(connection.incoming().array(), at, at + length);
          if (frame[0] == BackendType.ERROR_RESPONSE) {
            context.nodeError(connection, frame, 0, length);
          }
          connection.incoming().consume(length);
          Descriptions.translate(context.numbers(), connection.address(), frame, 0);
          switch (frame[0]) {
            case BackendType.ERROR_RESPONSE -> {
              return true;
            }
            case BackendType.ROW_DESCRIPTION, BackendType.NO_DATA -> {
              take(context, frame);
              return true;
            }
            default -> {
              // ParameterDescription comes first.
            }
          }
        }
      } catch (NodeLostException e) {
        context.nodeLost(connection, e);
        return true;
      }
    }

    private void take(ReplyContext context, byte[] frame) {
      if (learns) {
        original = frame;
        return;
      }
      byte[] known = original;
      if (known != null
          && known[0] == BackendType.ROW_DESCRIPTION
          && frame[0] == BackendType.ROW_DESCRIPTION) {
        restore(known, frame);
      }
      context.output().queue().append(frame);
    }
  }
}
