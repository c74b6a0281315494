package org.abelian.router.pool;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketOption;
import java.util.Map;
import jdk.net.ExtendedSocketOptions;

/**
 * Has the system ask over silent connections whether the other side is still there, so that one
 * which vanished without a word is noticed within two minutes.
 */
public final class KeepAlive {
  private static final Map<SocketOption<Integer>, Integer> TIMES =
      Map.of(
          ExtendedSocketOptions.TCP_KEEPIDLE, 60,
          ExtendedSocketOptions.TCP_KEEPINTERVAL, 15,
          ExtendedSocketOptions.TCP_KEEPCOUNT, 4);

  private KeepAlive() {}

  /** Switches it on; where the system has no such times, with the system's own. */
  public static void set(Socket socket) throws IOException {
    socket.setKeepAlive(true);
    for (var time : TIMES.entrySet()) {
      if (socket.supportedOptions().contains(time.getKey())) {
        socket.setOption(time.getKey(), time.getValue());
      }
    }
  }
}
