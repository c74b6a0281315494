package org.abelian.router.execution;

import java.util.Arrays;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.protocol.BackendType;
import org.abelian.router.protocol.CString;
import org.abelian.router.protocol.ErrorFields;

/**
 * The answer of one participant to its fragment of an independent transaction: the router's own
 * statement, the calls one after the other, ReadyForQuery. After an error, or when the connection
 * is lost, there is nothing more to read.
 */
public final class FragmentReply {
  private final NodeConnection connection;
  private ErrorFields error;
  private NodeLostException loss;
  private boolean ready;

  /** Nothing is read yet. */
  public FragmentReply(NodeConnection connection) {
    this.connection = connection;
  }

  /**
   * Reads the answer to one statement.
   *
   * @param output gets notices
   * @param rows gets the rows and the tag; null when nobody wants them
   * @param describes whether the description of the rows goes to the output
   */
  public void read(ClientOutput output, ResultMerge rows, boolean describes) {
    while (!isOver() && !take(output, rows, describes)) {
      // The next message.
    }
  }

  /** Reads what is left, to ReadyForQuery. */
  public void end(ClientOutput output) {
    while (!isOver()) {
      take(output, null, false);
    }
  }

  private boolean isOver() {
    return ready || loss != null;
  }

  /** The node's error; null when there is none. */
  public ErrorFields error() {
    return error;
  }

  /** How the connection was lost; null when it was not. */
  public NodeLostException loss() {
    return loss;
  }

  /** Takes one message; true when it is the last one of a statement that has succeeded. */
  private boolean take(ClientOutput output, ResultMerge rows, boolean describes) {
    int length;
    try {
      length = connection.awaitFrame();
    } catch (NodeLostException lost) {
      loss = lost;
      return false;
    }
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
          rows.take(output, array, at, length);
        }
      }
      case BackendType.COMMAND_COMPLETE -> {
        if (rows != null) {
          rows.tag(CString.read(array, at + 5, at + length - 1));
        }
      }
      case BackendType.ERROR_RESPONSE -> {
        if (error == null) {
          error = ErrorFields.read(Arrays.copyOfRange(array, at, at + length));
          NodeCall.lookAt(connection, error);
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
        ready = true;
      }
      default -> {
        // BindComplete and the like.
      }
    }
    connection.incoming().consume(length);
    return type == BackendType.COMMAND_COMPLETE;
  }
}
