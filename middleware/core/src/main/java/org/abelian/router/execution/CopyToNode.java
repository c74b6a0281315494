package org.abelian.router.execution;

import java.util.Arrays;
import java.util.function.Consumer;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.protocol.BackendType;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.FrontendType;

/** All COPY data goes to one node, as it is. */
final class CopyToNode implements CopyTarget {
  private static final int UNSENT_MAX = 65536;

  private final ReplyContext replies;
  private final NodeConnection connection;
  private final boolean extended;

  CopyToNode(ReplyContext replies, NodeConnection connection, boolean extended) {
    this.replies = replies;
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
      passNotices(connection, notice -> replies.output().queue().append(notice));
    }
  }

  /**
   * Passes on what the node has said while it took data, as far as the router had to read it for
   * the node to go on. Errors stay: they are the answer.
   */
  static void passNotices(NodeConnection connection, Consumer<byte[]> notices) {
    ByteQueue incoming = connection.incoming();
    for (boolean more = true; more; ) {
      connection.takeAside();
      int length = incoming.frameAt(incoming.start());
      more = length > 0 && connection.frameType() == BackendType.NOTICE_RESPONSE;
      if (more) {
        byte[] array = incoming.array();
        notices.accept(Arrays.copyOfRange(array, incoming.start(), incoming.start() + length));
        incoming.consume(length);
      }
    }
  }

  @Override
  public void end(byte type, byte[] reason, boolean sync) {
    end(connection, type, reason, sync);
    flush();
  }

  static void end(NodeConnection connection, byte type, byte[] reason, boolean sync) {
    connection.writer().begin(type).bytes(reason).end();
    connection.writer().empty(sync ? FrontendType.SYNC : FrontendType.FLUSH);
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
