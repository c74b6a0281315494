package org.abelian.router.execution;

import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.protocol.FrontendType;

/** All COPY data goes to one node, as it is. */
final class CopyToNode implements CopyTarget {
  private static final int UNSENT_MAX = 65536;

  private final NodeConnection connection;
  private final boolean extended;

  CopyToNode(NodeConnection connection, boolean extended) {
    this.connection = connection;
    this.extended = extended;
  }

  @Override
  public boolean isExtended() {
    return extended;
  }

  @Override
  public void data(byte[] array, int frame, int length) {
    connection.writer().bytes(array, frame, length);
    if (connection.unsent() > UNSENT_MAX) {
      flush();
    }
  }

  @Override
  public void end(byte type, byte[] reason, boolean sync) {
    end(connection, type, reason, sync);
    flush();
  }

  static void end(NodeConnection connection, byte type, byte[] reason, boolean sync) {
    connection.writer().begin(type).bytes(reason).end();
    if (sync) {
      connection.writer().empty(FrontendType.SYNC);
    }
  }

  @Override
  public void flush() {
    flush(connection);
  }

  static void flush(NodeConnection connection) {
    if (connection.isLost()) {
      return;
    }
    try {
      connection.flush();
    } catch (NodeLostException e) {
      return; // It is lost now, and the answer that is waited for will say so.
    }
  }
}
