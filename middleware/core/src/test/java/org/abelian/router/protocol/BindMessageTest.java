package org.abelian.router.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class BindMessageTest {
  private static BindMessage look(ByteQueue queue) {
    BindMessage bind = new BindMessage();
    bind.look(queue.array(), queue.start());
    return bind;
  }

  private static ByteQueue bind(int... formats) {
    ByteQueue queue = new ByteQueue(64);
    FrameWriter writer = new FrameWriter(queue);
    writer.begin(FrontendType.BIND).string("portal").string("S_1").int2(formats.length);
    for (int format : formats) {
      writer.int2(format);
    }
    writer.int2(3).int4(2).bytes(new byte[] {7, 8}).int4(-1).int4(4).int4(99).int2(1).int2(1).end();
    return queue;
  }

  @Test
  void valuesAreFoundInAnyOrder() {
    BindMessage bind = look(bind(0, 0, 1));
    assertEquals(99, BigEndian.int4(bind.array(), bind.offset(2)));
    assertEquals(-1, bind.length(1));
    assertEquals(2, bind.length(0));
    assertEquals(7, bind.array()[bind.offset(0)]);
    assertEquals(bind.end() - 4, bind.resultFormatsAt());
    assertEquals(6, bind.portalLength());
  }

  @Test
  void formatsHoldForEachForAllOrForNone() {
    BindMessage each = look(bind(0, 0, 1));
    assertFalse(each.isBinary(0));
    assertTrue(each.isBinary(2));
    BindMessage all = look(bind(1));
    assertTrue(all.isBinary(0) && all.isBinary(2));
    BindMessage none = look(bind());
    assertFalse(none.isBinary(0) || none.isBinary(2));
  }

  @Test
  void malformedMessagesAreNoticed() {
    assertThrows(IllegalArgumentException.class, () -> look(bind(0, 1)), "two formats for three");
    ByteQueue cut = bind(1);
    BigEndian.putInt4(cut.array(), cut.start() + 1, 22);
    assertThrows(
        IllegalArgumentException.class,
        () -> {
          BindMessage bind = look(cut);
          bind.length(2);
        });
  }
}
