package org.abelian.router.execution;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.abelian.router.protocol.BigEndian;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.FrameWriter;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.protocol.MemoryBudget;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class ClientInputTest {
  private static final int LARGE = 1 << 20;

  private static ClientInput input(MemoryBudget memory) {
    ClientInput input = new ClientInput(memory);
    input.checkTypes();
    return input;
  }

  private static void receive(ClientInput input, byte[] bytes, int portion) {
    for (int at = 0; at < bytes.length; at += portion) {
      input.receive(bytes, at, Math.min(portion, bytes.length - at));
    }
  }

  private static byte[] message(byte type, int bodyLength) {
    ByteQueue queue = new ByteQueue(16);
    new FrameWriter(queue).begin(type).bytes(new byte[bodyLength]).end();
    return queue.toByteArray();
  }

  private static byte[] joined(byte[]... parts) {
    ByteQueue queue = new ByteQueue(16);
    for (byte[] part : parts) {
      queue.append(part);
    }
    return queue.toByteArray();
  }

  @Provide
  Arbitrary<List<byte[]>> messages() {
    Arbitrary<Byte> types = Arbitraries.of((byte) 'Q', (byte) 'P', (byte) 'S', (byte) 'd');
    return types
        .flatMap(type -> Arbitraries.integers().between(0, 40).map(size -> message(type, size)))
        .list()
        .ofMaxSize(12);
  }

  @Property
  void messagesAreKeptAsTheyAreInWhateverPortionsTheyCome(
      @ForAll("messages") List<byte[]> messages, @ForAll @IntRange(min = 1, max = 30) int portion) {
    byte[] bytes = joined(messages.toArray(byte[][]::new));
    ClientInput input = input(MemoryBudget.unlimited());
    receive(input, bytes, portion);
    assertArrayEquals(bytes, input.queue().toByteArray());
  }

  @Property
  void randomBytesAreKeptUpToTheFirstThatIsNoMessage(
      @ForAll byte[] bytes, @ForAll @IntRange(min = 1, max = 30) int portion) {
    ClientInput input = input(new MemoryBudget(LARGE));
    receive(input, bytes, portion);
    ByteQueue kept = input.queue();
    int at = 0;
    while (kept.frameAt(kept.start() + at) > 0
        && kept.array()[kept.start() + at] != ClientInput.VIOLATION) {
      if (kept.array()[kept.start() + at] == ClientInput.REFUSED) {
        // Random bytes announced more than there is memory for, and ended before it came.
        assertTrue(1 + BigEndian.int4(bytes, at + 1) > LARGE / 2);
        assertEquals(kept.size(), at + 6);
        return;
      }
      int length = kept.frameAt(kept.start() + at);
      assertArrayEquals(
          Arrays.copyOfRange(bytes, at, at + length),
          Arrays.copyOfRange(kept.array(), kept.start() + at, kept.start() + at + length));
      at += length;
    }
    boolean violated = kept.size() > at && kept.array()[kept.start() + at] == 2;
    assertEquals(violated, input.violation() != null);
    assertTrue(violated || kept.size() == bytes.length);
  }

  @Test
  void aMessageForWhichThereIsNoMemoryIsPassedOverAndTheNextIsKept() {
    for (int portion : new int[] {1, 7, 4096, LARGE}) {
      MemoryBudget memory = new MemoryBudget(LARGE / 2);
      ClientInput input = input(memory);
      byte[] small = message(FrontendType.SYNC, 0);
      receive(input, joined(small, message(FrontendType.BIND, LARGE), small), portion);
      byte[] refused = {ClientInput.REFUSED, 0, 0, 0, 5, FrontendType.BIND};
      assertArrayEquals(joined(small, refused, small), input.queue().toByteArray());
      assertEquals(FrontendType.BIND, ClientInput.type(refused, 0));
      assertTrue(memory.used() < LARGE / 2);
    }
  }

  @Test
  void aMessageForWhichTheHeapHasNoPieceIsPassedOverToo() {
    // With the smaller heap of the tests, an array of the longest message cannot be had.
    Assumptions.assumeTrue(Runtime.getRuntime().maxMemory() <= 1L << 30);
    MemoryBudget memory = MemoryBudget.unlimited();
    ClientInput input = input(memory);
    byte[] header = {FrontendType.QUERY, 0x3f, -1, -1, -2};
    input.receive(header, 0, header.length);
    byte[] refused = {ClientInput.REFUSED, 0, 0, 0, 5, FrontendType.QUERY};
    assertArrayEquals(refused, input.queue().toByteArray());
    assertEquals(0, memory.used());
  }

  @Test
  void whatIsNoMessageIsToldInItsPlaceAndEndsTheInput() {
    byte[] query = message(FrontendType.QUERY, 3);
    ClientInput input = input(MemoryBudget.unlimited());
    input.receive(joined(query, new byte[] {'!', 0, 0, 0, 4}, query), 0, 21);
    byte[] end = {ClientInput.VIOLATION, 0, 0, 0, 4};
    assertArrayEquals(joined(query, end), input.queue().toByteArray());
    assertEquals("invalid frontend message type 33", input.violation().getMessage());
  }

  @Test
  void aLengthThatCannotBeIsAViolation() {
    for (int length : new int[] {3, 0, -1, Integer.MIN_VALUE, 10_001, Integer.MAX_VALUE}) {
      ByteQueue queue = new ByteQueue(16);
      new FrameWriter(queue).int1(FrontendType.EXECUTE).int4(length);
      ClientInput input = input(MemoryBudget.unlimited());
      receive(input, queue.toByteArray(), 1);
      assertEquals("invalid message length", input.violation().getMessage());
    }
  }

  @Test
  void whatCameBeforeTypesWereExpectedIsCheckedThen() {
    ClientInput input = new ClientInput(MemoryBudget.unlimited());
    input.receive(new byte[] {'Q', 0, 0}, 0, 3);
    input.checkTypes();
    input.receive(new byte[] {0, 4, '?'}, 0, 3);
    assertEquals(10, input.queue().size());
    assertEquals("invalid frontend message type 63", input.violation().getMessage());
  }
}
