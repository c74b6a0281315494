package org.abelian.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import org.abelian.router.execution.ClientOutput;
import org.abelian.router.protocol.ErrorFields;
import org.abelian.router.ClientSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One client: moves bytes between its socket and its session, in one thread. */
final class ClientConnection {
  private static final Logger LOG = LoggerFactory.getLogger(ClientConnection.class);
  private static final int READ_BUFFER = 16384;
  private static final int WRITE_AT = 32768;

  /** A client that has not said who it is by then is sent away. */
  private static final int START_TIMEOUT_MILLIS = 60_000;

  private final Socket socket;
  private final ClientSession session;
  private final boolean tooMany;
  private volatile boolean waiting;

  /**
   * @param tooMany true when the client is to be told that there are too many
   */
  ClientConnection(Socket socket, ClientSession session, boolean tooMany) {
    this.socket = socket;
    this.session = session;
    this.tooMany = tooMany;
  }

  /** Serves the client until it or the session ends. */
  void run() {
    try (socket) {
      InputStream input = socket.getInputStream();
      OutputStream output = socket.getOutputStream();
      if (tooMany) {
        session.output().error(ErrorFields.of("FATAL", "53300", "sorry, too many clients already"));
        write(output);
        return;
      }
      socket.setSoTimeout(START_TIMEOUT_MILLIS);
      serve(input, output);
    } catch (IOException e) {
      LOG.debug("{} ended: {}", session, e.getMessage());
    } catch (RuntimeException | Error e) {
      LOG.error("{} ended by a fault", session, e);
    } finally {
      session.close();
    }
  }

  private void serve(InputStream input, OutputStream output) throws IOException {
    byte[] buffer = new byte[READ_BUFFER];
    boolean started = false;
    while (!session.isClosed()) {
      waiting = session.isIdle();
      int count = input.read(buffer);
      waiting = false;
      if (count < 0) {
        return;
      }
      session.receive(buffer, 0, count);
      while (session.advance()) {
        if (session.output().queue().size() >= WRITE_AT) {
          write(output);
        }
      }
      write(output);
      if (!started && session.isStarted()) {
        started = true;
        socket.setSoTimeout(0);
      }
    }
  }

  private void write(OutputStream output) throws IOException {
    ClientOutput messages = session.output();
    int count = messages.queue().size();
    if (count > 0) {
      output.write(messages.queue().array(), messages.queue().start(), count);
      messages.taken(count);
    }
  }

  /** Ends the connection if no transaction is open. */
  void stopWhenIdle() {
    if (waiting) {
      abort();
    }
  }

  /** Ends the connection; from any thread. */
  void abort() {
    session.abort();
    try {
      socket.close();
    } catch (IOException e) {
      LOG.debug("closing a client's socket", e);
    }
  }
}
