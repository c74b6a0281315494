package org.abelian.router.pool;

import java.io.IOException;
import org.abelian.router.pool.NodeDialer.Dialled;
import org.abelian.router.pool.NodeDialer.Encryption;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.FrameWriter;
import org.abelian.router.protocol.StartupCode;

/** The out-of-band request to cancel what a backend does. */
final class CancelRequest {
  private static final int TIMEOUT_MILLIS = 5000;

  private CancelRequest() {}

  /**
   * Sends the request and waits until the node has signalled the backend.
   *
   * @param encrypted whether the connection that it concerns is; the request then is as well, since
   *     the key that it carries is a secret
   * @return false when it cannot be told whether the node has
   */
  static boolean send(
      NodeAddress address, IoContext io, boolean encrypted, int processId, int secretKey) {
    ByteQueue message = new ByteQueue(16);
    FrameWriter writer = new FrameWriter(message);
    writer.beginUntyped().int4(StartupCode.CANCEL_REQUEST).int4(processId).int4(secretKey).end();
    NodeDialer dialer = new NodeDialer(address, io, TIMEOUT_MILLIS, TIMEOUT_MILLIS);
    Dialled dialled;
    try {
      dialled = dialer.dial(encrypted ? Encryption.REQUIRED : Encryption.NONE);
    } catch (IOException e) {
      return true; // Nothing was asked for.
    }
    try {
      dialled.transport().write(message.array(), message.start(), message.size());
      return !dialled.transport().read(new ByteQueue(1), 1);
    } catch (IOException e) {
      return false;
    } finally {
      io.watch().remove(dialled.socket());
      dialled.transport().close();
    }
  }
}
