package org.abelian.router.pool;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.MemoryBudget;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The watch's time is the test's: it passes only when the watch is made to look. */
@Timeout(60) // a hang is a failure, not a wait
class NodeSocketTest {
  private static final long LIMIT_MILLIS = 5000;

  /** More than the system keeps for both ends. */
  private static final int MUCH = 30 << 20;

  private final MemoryBudget memory = new MemoryBudget(200 << 20);
  private Loopback pair;
  private NodeSocket socket;
  private long now;

  @BeforeEach
  void open() throws IOException {
    pair = Loopback.open();
    socket = new NodeSocket(pair.router(), memory);
  }

  @AfterEach
  void close() throws IOException {
    pair.close();
  }

  private interface Work<T> {
    T run() throws IOException;
  }

  private static <T> CompletableFuture<T> beside(Work<T> work) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return work.run();
          } catch (IOException e) {
            throw new CompletionException(e);
          }
        },
        task -> new Thread(task, "beside").start());
  }

  private byte[] read(int length) throws IOException {
    ByteQueue queue = new ByteQueue(1 << 16);
    ByteQueue all = new ByteQueue(length + (1 << 16));
    while (all.size() < length) {
      if (!socket.read(queue, 1)) {
        throw new EOFException();
      }
      all.append(queue.array(), queue.start(), queue.size());
      queue.clear();
    }
    return all.toByteArray();
  }

  /** Lets so much time pass in which nothing happens, as the watch sees it. */
  private void pass(long millis) {
    socket.look(now);
    now += TimeUnit.MILLISECONDS.toNanos(millis);
    socket.look(now);
  }

  private static Throwable failure(CompletableFuture<?> future) {
    return assertThrows(CompletionException.class, future::join).getCause();
  }

  @Test
  void aReadIsEndedWhenItsTimeIsOver() {
    socket.timeout((int) LIMIT_MILLIS);
    CompletableFuture<byte[]> reading = beside(() -> read(1));
    while (!reading.isDone()) {
      pass(LIMIT_MILLIS);
    }
    assertInstanceOf(SocketTimeoutException.class, failure(reading));
  }

  @Test
  void aWriteThatNobodyTakesIsEndedWhenItsTimeIsOver() {
    socket.timeout((int) LIMIT_MILLIS);
    CompletableFuture<Void> writing =
        beside(
            () -> {
              socket.write(new byte[MUCH], 0, MUCH);
              return null;
            });
    while (!writing.isDone()) {
      pass(LIMIT_MILLIS);
    }
    assertInstanceOf(SocketTimeoutException.class, failure(writing));
  }

  @Test
  void timeThatPassesBetweenTwoCallsEndsNeither() throws IOException {
    socket.timeout((int) LIMIT_MILLIS);
    for (int i = 0; i < 5; i++) {
      pair.node().getOutputStream().write(i);
      assertArrayEquals(new byte[] {(byte) i}, read(1));
      pass(LIMIT_MILLIS - 1);
      pass(10 * LIMIT_MILLIS);
    }
  }

  @Test
  void withoutALimitAReadWaitsHoweverLong() throws IOException {
    CompletableFuture<byte[]> reading = beside(() -> read(1));
    for (int i = 0; i < 100; i++) {
      pass(TimeUnit.DAYS.toMillis(1));
    }
    pair.node().getOutputStream().write(7);
    assertArrayEquals(new byte[] {7}, reading.join());
  }

  /** The node takes nothing before somebody has read all that it says. */
  private CompletableFuture<byte[]> talkativeNode(byte[] says, int takes) {
    return beside(
        () -> {
          pair.node().getOutputStream().write(says);
          return pair.node().getInputStream().readNBytes(takes);
        });
  }

  private void lookUntilDone(CompletableFuture<?> future) {
    while (!future.isDone()) {
      pass(TimeUnit.NANOSECONDS.toMillis(NodeSocket.STUCK_NANOS));
    }
  }

  @Test
  void aNodeThatSpeaksBeforeItTakesMoreIsHeardMeanwhile() {
    Random random = new Random(4711);
    byte[] request = new byte[MUCH];
    byte[] answer = new byte[MUCH];
    random.nextBytes(request);
    random.nextBytes(answer);
    CompletableFuture<byte[]> node = talkativeNode(answer, MUCH);
    CompletableFuture<byte[]> reading =
        beside(
            () -> {
              socket.write(request, 0, MUCH);
              return read(MUCH);
            });
    lookUntilDone(reading);
    assertTrue(Arrays.equals(answer, reading.join()));
    assertTrue(Arrays.equals(request, node.join()));
    assertEquals(0, memory.used());
  }

  @Test
  void whatWasHeardMeanwhileCanBeHadBeforeTheAnswerIsWaitedFor() throws IOException {
    byte[] answer = {1, 2, 3};
    byte[] much = new byte[MUCH];
    CompletableFuture<byte[]> node = talkativeNode(new byte[MUCH], MUCH);
    CompletableFuture<Integer> writing =
        beside(
            () -> {
              socket.write(much, 0, MUCH);
              ByteQueue aside = new ByteQueue(MUCH + (1 << 16));
              socket.readAside(aside, 1);
              return aside.size()
                  + (MUCH - aside.size() > 0 ? read(MUCH - aside.size()).length : 0);
            });
    lookUntilDone(writing);
    assertEquals(MUCH, writing.join());
    node.join();
    pair.node().getOutputStream().write(answer);
    assertArrayEquals(answer, read(3));
  }

  @Test
  void twoStuckWritesInARowLoseNothing() {
    CompletableFuture<Void> node =
        beside(
            () -> {
              for (int i = 0; i < 2; i++) {
                byte[] says = new byte[MUCH];
                Arrays.fill(says, (byte) (i + 1));
                pair.node().getOutputStream().write(says);
                pair.node().getInputStream().readNBytes(MUCH);
              }
              return null;
            });
    CompletableFuture<byte[]> reading =
        beside(
            () -> {
              socket.write(new byte[MUCH], 0, MUCH);
              byte[] first = read(1);
              socket.write(new byte[MUCH], 0, MUCH);
              byte[] rest = read(2 * MUCH - first.length);
              ByteQueue all = new ByteQueue(2 * MUCH);
              all.append(first);
              all.append(rest);
              return all.toByteArray();
            });
    lookUntilDone(reading);
    node.join();
    byte[] all = reading.join();
    assertEquals(2 * MUCH, all.length);
    assertEquals(1, all[MUCH - 1]);
    assertEquals(2, all[MUCH]);
  }

  @Test
  void aNodeThatSaysTooMuchMeanwhileIsGivenUp() {
    CompletableFuture<byte[]> node = talkativeNode(new byte[100 << 20], 1);
    CompletableFuture<Void> writing =
        beside(
            () -> {
              socket.write(new byte[MUCH], 0, MUCH);
              return null;
            });
    lookUntilDone(writing);
    assertInstanceOf(IOException.class, failure(writing));
    assertThrows(CompletionException.class, node::join);
    socket.discard();
    assertEquals(0, memory.used());
  }
}
