package org.abelian.router.execution;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import org.abelian.router.protocol.BackendType;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.FrameWriter;
import org.junit.jupiter.api.Test;

class ColumnOriginsTest {
  private static byte[] description(int table, int type, int modifier, int format) {
    ByteQueue queue = new ByteQueue(64);
    FrameWriter writer = new FrameWriter(queue);
    writer.begin(BackendType.ROW_DESCRIPTION).int2(1).string("n");
    writer
        .int4(table)
        .int2(table == 0 ? 0 : 3)
        .int4(type)
        .int2(-1)
        .int4(modifier)
        .int2(format)
        .end();
    return queue.toByteArray();
  }

  @Test
  void tableAndModifierAreRestoredAndTheFormatIsKept() {
    byte[] frame = description(0, 1700, -1, 1);
    ColumnOrigins.restore(description(16400, 1700, 786438, 0), frame);
    assertArrayEquals(description(16400, 1700, 786438, 1), frame);
  }

  @Test
  void aColumnOfAnotherTypeStaysAsItIs() {
    byte[] frame = description(0, 20, -1, 0);
    ColumnOrigins.restore(description(16400, 23, 5, 0), frame);
    assertArrayEquals(description(0, 20, -1, 0), frame);
  }
}
