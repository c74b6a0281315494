package org.abelian.router.protocol;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class ByteQueueTest {
  /** Appending and consuming in any portions gives the bytes in order. */
  @Property
  void bytesComeOutInTheOrderInWhichTheyWentIn(
      @ForAll byte[] bytes,
      @ForAll @IntRange(min = 1, max = 9) int in,
      @ForAll @IntRange(min = 1, max = 9) int out) {
    ByteQueue queue = new ByteQueue(4);
    ByteQueue result = new ByteQueue(4);
    int at = 0;
    while (at < bytes.length || !queue.isEmpty()) {
      int count = Math.min(in, bytes.length - at);
      queue.append(bytes, at, count);
      at += count;
      int taken = Math.min(out, queue.size());
      result.append(queue.array(), queue.start(), taken);
      queue.consume(taken);
    }
    assertArrayEquals(bytes, result.toByteArray());
  }

  @Test
  void aFrameIsThereOnlyWithItsLastByte() {
    ByteQueue whole = new ByteQueue(16);
    new FrameWriter(whole).begin((byte) 'C').string("SELECT 1").end();
    byte[] frame = whole.toByteArray();
    for (int length = 0; length < frame.length; length++) {
      ByteQueue part = new ByteQueue(16);
      part.append(Arrays.copyOf(frame, length));
      assertFalse(part.hasFrame(), length + " bytes");
    }
    assertTrue(whole.hasFrame());
    assertEquals(frame.length, whole.frameAt(whole.start()));
  }

  @Test
  void lengthsAreRightWhenTheQueueMovesWhileAFrameIsWritten() {
    ByteQueue queue = new ByteQueue(8);
    queue.append(new byte[] {1, 2, 3, 4, 5, 6});
    queue.consume(5);
    FrameWriter writer = new FrameWriter(queue);
    writer.begin((byte) 'Q').string("SELECT 'a rather long text that makes the queue grow'").end();
    queue.consume(1);
    assertEquals(queue.size(), queue.frameAt(queue.start()));
  }
}
