package org.abelian.router.execution;

import java.util.Arrays;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.protocol.BackendType;
import org.abelian.router.protocol.CString;
import org.abelian.router.protocol.ErrorFields;

/**
 * The answer of one participant to its fragment of an independent transaction: the router's own
 * statement, the client's, ReadyForQuery.
 */
public final class FragmentReply {
  private final NodeConnection connection;
  private final ClientOutput output;

  /** Where the rows go; null while, and when, nobody wants them. */
  private ResultMerge rows;

  private boolean describes;
  private ErrorFields error;

  private FragmentReply(NodeConnection connection, ClientOutput output, boolean describes) {
    this.connection = connection;
    this.output = output;
    this.describes = describes;
  }

  /**
   * Reads all of it. Rows and the tag go into the merge, notices to the client.
   *
   * @param merge null when rows are of no use any more
   * @param describes whether the description of the rows goes to the client
   * @return the node's error; null when the fragment is executed
   */
  public static ErrorFields read(
      NodeConnection connection, ClientOutput output, ResultMerge merge, boolean describes)
      throws NodeLostException {
    FragmentReply reply = new FragmentReply(connection, output, describes);
    while (!reply.take(merge)) {
      // The next message.
    }
    return reply.error;
  }

  /** Takes one message; true when it is the last one. */
  private boolean take(ResultMerge merge) throws NodeLostException {
    int length = connection.awaitFrame();
    byte[] array = connection.incoming().array();
    int at = connection.incoming().start();
    byte type = array[at];
    switch (type) {
      case BackendType.PARSE_COMPLETE -> connection.prepared().confirm();
      case BackendType.ROW_DESCRIPTION, BackendType.NO_DATA -> {
        if (describes) {
          output.queue().append(array, at, length);
        }
      }
      case BackendType.DATA_ROW -> {
        if (rows != null) {
          rows.row(output, array, at, length);
        }
      }
      case BackendType.COMMAND_COMPLETE -> {
        if (rows != null) {
          rows.tag(CString.read(array, at + 5, at + length - 1));
        }
        rows = merge; // The first command is the router's own.
      }
      case BackendType.ERROR_RESPONSE -> {
        if (error == null) {
          error = ErrorFields.read(Arrays.copyOfRange(array, at, at + length));
        }
      }
      case BackendType.NOTICE_RESPONSE -> output.queue().append(array, at, length);
      case BackendType.PARAMETER_STATUS -> {
        if (!NodeReply.remember(connection, array, at, length)) {
          output.parameterStatus(array, at);
        }
      }
      case BackendType.READY_FOR_QUERY -> {
        connection.transactionStatus(array[at + 5]);
        connection.prepared().endGroup();
      }
      default -> {
        // BindComplete and the like.
      }
    }
    connection.incoming().consume(length);
    return type == BackendType.READY_FOR_QUERY;
  }
}
