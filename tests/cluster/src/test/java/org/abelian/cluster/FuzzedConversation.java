package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.abelian.cluster.fuzz.Fuzz;
import org.abelian.cluster.wire.Message;
import org.abelian.cluster.wire.WireClient;

/**
 * Groups of broken messages over one connection, or over new ones when the router has ended it.
 * Behind each group whose frames are sound, the router must answer a query.
 */
final class FuzzedConversation {
  /** How many messages a group has. */
  static final int TOGETHER = 25;

  private static final String LAST = "behind all that";

  /** Opens a connection of a client that is known. */
  @FunctionalInterface
  interface Door {
    WireClient open() throws IOException;
  }

  private final Door door;
  private final boolean noticesEnd;
  private final Fuzz fuzz;
  private final long seed;
  private int group;

  /**
   * @param noticesEnd whether the router learns that the client will send no more
   */
  FuzzedConversation(Door door, boolean noticesEnd, long seed) {
    this.door = door;
    this.noticesEnd = noticesEnd;
    this.seed = seed;
    fuzz = new Fuzz(seed);
  }

  /** How many messages were sent, in about: not counting those that ask for the end. */
  int messages() {
    return group * TOGETHER;
  }

  /** So many groups, over connections that end with them. */
  void hold(int groups) throws IOException {
    WireClient client = null;
    try {
      for (int i = 1; i <= groups; i++, group++) {
        client = client == null ? door.open() : client;
        boolean open = i % 10 == 0 ? broken(client) : framed(client);
        if (!open) {
          client.abandon();
          client = null;
        }
      }
    } finally {
      if (client != null) {
        client.abandon();
      }
    }
  }

  /** True while the connection is there. What is sent follows from the seed alone. */
  private boolean framed(WireClient client) throws IOException {
    List<byte[]> messages = new ArrayList<>();
    for (int i = 0; i < TOGETHER; i++) {
      messages.add(fuzz.framed());
    }
    try {
      for (byte[] message : messages) {
        client.raw(message);
      }
      client.copyFail("no more").sync().query("ROLLBACK").query("SELECT '" + LAST + "'").flush();
      Message message;
      do {
        message = read(client);
      } while (message.type() != 'D'
          || !new String(message.body(), StandardCharsets.UTF_8).endsWith(LAST));
      client.untilReady();
      return true;
    } catch (SocketTimeoutException e) {
      return fail("no answer to group " + group + " of seed " + seed, e);
    } catch (IOException ended) {
      return false;
    }
  }

  private boolean broken(WireClient client) throws IOException {
    byte[] sound = fuzz.framed();
    byte[] unsound = fuzz.unframed();
    try {
      client.raw(sound).raw(unsound);
      client.endSending();
      while (true) {
        read(client);
      }
    } catch (SocketTimeoutException e) {
      if (noticesEnd) {
        fail("open after group " + group + " of seed " + seed, e);
      }
      return false;
    } catch (IOException ended) {
      return false;
    }
  }

  /**
   * Errors are the client's, never the router's own faults. PostgreSQL has one of its own for types
   * that it does not know.
   */
  private Message read(WireClient client) throws IOException {
    Message message = client.read();
    if (message.type() == 'E') {
      String error = message.toString();
      boolean fault = error.contains("XX000") && !error.contains("cache lookup failed for type");
      assertFalse(fault, () -> "group " + group + " of seed " + seed + ": " + error);
    }
    return message;
  }
}
