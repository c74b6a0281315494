package org.abelian.router.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.junit.jupiter.api.Test;

class MemoryBudgetTest {
  private static final int LIMIT = 1 << 20;

  /** Appends, consumes and clears, in any order: what is counted is what the queues hold. */
  @Property
  void whatQueuesGiveUpIsNotCounted(
      @ForAll @Size(max = 60) List<@IntRange(min = -3, max = 200_000) Integer> actions) {
    MemoryBudget memory = new MemoryBudget(LIMIT);
    List<ByteQueue> queues =
        IntStream.range(0, 3).mapToObj(i -> new ByteQueue(100, memory)).toList();
    for (int i = 0; i < actions.size(); i++) {
      ByteQueue queue = queues.get(i % 3);
      int action = actions.get(i);
      if (action == -1) {
        queue.clear(1000);
      } else if (action == -2) {
        queue.consume(queue.size() / 2);
      } else if (action == -3) {
        queue.close();
      } else {
        try {
          queue.append(new byte[action]);
        } catch (AbelianException e) {
          assertEquals(SqlState.OUT_OF_MEMORY, e.state());
        }
      }
      assertTrue(memory.used() <= LIMIT + 3 * MemoryBudget.SMALL, memory::toString);
    }
    queues.forEach(ByteQueue::close);
    assertEquals(0, memory.used());
  }

  @Test
  void aQueueBeginsSmallAndGrowsToItsRoomUncounted() {
    MemoryBudget memory = new MemoryBudget(LIMIT);
    ByteQueue queue = new ByteQueue(8192, memory);
    assertTrue(queue.array().length <= 1024, () -> queue.array().length + " bytes");
    queue.append(new byte[8192]);
    assertEquals(0, memory.used());
    queue.append(new byte[1]);
    assertTrue(memory.used() > 0);
    queue.close();
    assertEquals(0, memory.used());
  }

  @Test
  void aQueueThatIsRefusedMoreIsAsBefore() {
    MemoryBudget memory = new MemoryBudget(200_000);
    ByteQueue queue = new ByteQueue(16, memory);
    queue.append(new byte[100_000]);
    long used = memory.used();
    assertThrows(AbelianException.class, () -> queue.append(new byte[500_000]));
    assertEquals(100_000, queue.size());
    assertEquals(used, memory.used());
  }

  @Test
  void aFrameThatIsRefusedLeavesNothingBehind() {
    ByteQueue queue = new ByteQueue(16, new MemoryBudget(200_000));
    FrameWriter writer = new FrameWriter(queue);
    writer.empty((byte) 'S');
    writer.begin((byte) 'B').string("portal");
    assertThrows(AbelianException.class, () -> writer.bytes(new byte[300_000]));
    assertEquals(5, queue.size());
    writer.empty((byte) 'S');
    assertEquals(10, queue.size());
  }

  @Test
  void smallQueuesGetOnWhenAllIsUsed() {
    MemoryBudget memory = new MemoryBudget(LIMIT);
    memory.take(LIMIT);
    assertTrue(memory.isTight());
    ByteQueue queue = new ByteQueue(16, memory);
    queue.append(new byte[MemoryBudget.SMALL]);
    assertThrows(AbelianException.class, () -> queue.append(new byte[1]));
    memory.give(LIMIT);
    assertFalse(memory.isTight());
  }
}
