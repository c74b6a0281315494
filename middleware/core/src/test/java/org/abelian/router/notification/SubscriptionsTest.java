package org.abelian.router.notification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.abelian.router.catalog.Node;
import org.abelian.router.protocol.BackendType;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.FrameWriter;
import org.abelian.router.protocol.MemoryBudget;
import org.junit.jupiter.api.Test;

/** Sessions get what they listen to since their transactions have committed, and no more. */
class SubscriptionsTest {
  private static final Node NODE = new Node(1, "node", 5432);

  private final NotificationHub hub =
      new NotificationHub(
          address -> {
            throw new IllegalStateException("there is no node");
          },
          List::of);
  private final Mailbox mailbox = new Mailbox(MemoryBudget.unlimited());
  private final Subscriptions session = new Subscriptions(hub, mailbox);

  private static byte[] message(String channel, String payload) {
    ByteQueue queue = new ByteQueue(64);
    new FrameWriter(queue)
        .begin(BackendType.NOTIFICATION_RESPONSE)
        .int4(77)
        .string(channel)
        .string(payload)
        .end();
    return queue.toByteArray();
  }

  private void notify(String channel, String payload) {
    hub.received(NODE, channel, message(channel, payload));
  }

  private List<String> told() {
    List<String> result = new ArrayList<>();
    while (!mailbox.isEmpty() && mailbox.failure() == null) {
      ByteQueue queue = new ByteQueue(64);
      mailbox.take(queue);
      while (!queue.isEmpty()) {
        int length = queue.frameAt(queue.start());
        String text =
            new String(queue.array(), queue.start() + 9, length - 10, StandardCharsets.ISO_8859_1);
        result.add(text.replace('\0', ' '));
        queue.consume(length);
      }
    }
    return result;
  }

  @Test
  void aChannelIsHeardSinceTheCommit() {
    session.listen("a", 0);
    notify("a", "early");
    assertEquals(Set.of("a"), hub.wanted().channels());
    session.ended(true);
    notify("a", "1");
    notify("b", "other");
    notify("a", "2");
    assertEquals(List.of("a 1", "a 2"), told());
  }

  @Test
  void aRollbackLeavesEverythingAsItWas() {
    session.listen("a", 0);
    session.ended(true);
    session.unlisten(null, 0, false);
    session.listen("b", 0);
    session.ended(false);
    notify("a", "1");
    notify("b", "2");
    assertEquals(List.of("a 1"), told());
    assertEquals(Set.of("a"), hub.wanted().channels());
  }

  @Test
  void aSavepointTakesBackWhatCameAfterIt() {
    session.listen("before", 0);
    session.listen("after", 1);
    session.rolledBack(1);
    session.listen("kept", 2);
    session.released(0);
    session.rolledBack(1);
    session.ended(true);
    assertEquals(Set.of("before", "kept"), hub.wanted().channels());
  }

  @Test
  void whatWaitsIsForgottenWithItsChannel() {
    session.listen("a", 0);
    session.listen("b", 0);
    session.ended(true);
    notify("a", "1");
    notify("b", "2");
    notify("a", "3");
    session.unlisten("a", 0, false);
    session.ended(true);
    assertEquals(List.of("b 2"), told());
    session.clear();
    assertFalse(session.isActive());
    assertTrue(hub.wanted().channels().isEmpty());
  }

  @Test
  void nodesListenWhileAnySessionDoes() {
    Subscriptions other = new Subscriptions(hub, new Mailbox(MemoryBudget.unlimited()));
    session.listen("a", 0);
    session.listen("a", 0);
    session.ended(true);
    other.listen("a", 0);
    other.ended(true);
    session.clear();
    assertEquals(Set.of("a"), hub.wanted().channels());
    other.clear();
    assertEquals(Set.of(), hub.wanted().channels());
  }

  @Test
  void whoeverWaitsTooLongIsEnded() {
    AtomicInteger woken = new AtomicInteger();
    mailbox.onArrival(woken::incrementAndGet);
    session.listen("a", 0);
    session.ended(true);
    String large = "x".repeat(7900);
    int fit = Mailbox.LARGEST / message("a", large).length;
    for (int i = 0; i < fit; i++) {
      notify("a", large);
    }
    assertNull(mailbox.failure());
    notify("a", large);
    assertNotNull(mailbox.failure());
    assertEquals("54000", mailbox.failure().sqlState());
    assertEquals(fit + 1, woken.get());
  }

  @Test
  void noMemoryEndsItToo() {
    Mailbox small = new Mailbox(new MemoryBudget(1 << 17));
    Subscriptions poor = new Subscriptions(hub, small);
    poor.listen("a", 0);
    poor.ended(true);
    for (int i = 0; i < 100 && small.failure() == null; i++) {
      notify("a", "x".repeat(7900));
    }
    assertEquals("54000", small.failure().sqlState());
  }

  /** Numbers of sessions are small: none of them is taken for a process of a node. */
  @Test
  void processesOfNodesAreNoSessions() {
    session.listen("a", 0);
    session.ended(true);
    notify("a", "1");
    ByteQueue queue = new ByteQueue(64);
    mailbox.take(queue);
    int process = java.nio.ByteBuffer.wrap(queue.array(), queue.start() + 5, 4).getInt();
    assertTrue(process >= 1 << 30, "process " + process);
  }
}
