package org.abelian.router.pool;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
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
   * @return false when it cannot be told whether the node has
   */
  static boolean send(NodeAddress address, int processId, int secretKey) {
    ByteQueue message = new ByteQueue(16);
    FrameWriter writer = new FrameWriter(message);
    writer.beginUntyped().int4(StartupCode.CANCEL_REQUEST).int4(processId).int4(secretKey).end();
    try (Socket socket = new Socket()) {
      try {
        socket.connect(new InetSocketAddress(address.host(), address.port()), TIMEOUT_MILLIS);
      } catch (IOException e) {
        return true; // Nothing was asked for.
      }
      socket.setSoTimeout(TIMEOUT_MILLIS);
      socket.getOutputStream().write(message.array(), message.start(), message.size());
      return socket.getInputStream().read() < 0;
    } catch (IOException e) {
      return false;
    }
  }
}
