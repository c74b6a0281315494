package org.abelian.router.protocol;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class FrontendMessagesTest {
  private static byte[] message(char type, Consumer<FrameWriter> body) {
    ByteQueue queue = new ByteQueue(32);
    FrameWriter writer = new FrameWriter(queue);
    writer.begin((byte) type);
    body.accept(writer);
    writer.end();
    return queue.toByteArray();
  }

  private static final List<byte[]> RIGHT =
      List.of(
          message('Q', w -> w.string("SELECT 1")),
          message('P', w -> w.string("").string("SELECT $1").int2(1).int4(23)),
          message(
              'B',
              w ->
                  w.string("p")
                      .string("s")
                      .int2(1)
                      .int2(0)
                      .int2(2)
                      .int4(-1)
                      .int4(2)
                      .bytes(new byte[] {'1', '7'})
                      .int2(1)
                      .int2(1)),
          message('D', w -> w.int1('S').string("s")),
          message('C', w -> w.int1('P').string("")),
          message('E', w -> w.string("p").int4(0)),
          message('S', w -> {}),
          message('H', w -> {}));

  @Test
  void messagesAsTheyShouldBePass() {
    RIGHT.forEach(
        message -> assertDoesNotThrow(() -> FrontendMessages.check(message, 0, message.length)));
  }

  @Test
  void aMessageThatLacksItsEndOrHasMoreDoesNot() {
    for (byte[] message : RIGHT) {
      for (int length = 5; length < message.length + 3; length++) {
        if (length == message.length) {
          continue;
        }
        byte[] other = Arrays.copyOf(message, length);
        BigEndian.putInt4(other, 1, length - 1);
        assertThrows(
            MalformedMessageException.class,
            () -> FrontendMessages.check(other, 0, other.length),
            () -> (char) message[0] + " of length " + other.length);
      }
    }
  }

  @Test
  void complaintsArePostgreSqls() {
    assertEquals(
        "invalid DESCRIBE message subtype 88",
        complaint(message('D', w -> w.int1('X').string(""))));
    assertEquals(
        "invalid CLOSE message subtype 0", complaint(message('C', w -> w.int1(0).string(""))));
    assertEquals("invalid string in message", complaint(message('Q', w -> w.int1('x'))));
    assertEquals("insufficient data left in message", complaint(message('E', w -> w.string("p"))));
    assertEquals("invalid message format", complaint(message('S', w -> w.int1(0))));
  }

  private static String complaint(byte[] message) {
    return assertThrows(
            MalformedMessageException.class,
            () -> FrontendMessages.check(message, 0, message.length))
        .getMessage();
  }

  /** Whatever it is, nothing is read beyond it. */
  @Property
  void nothingElseThanAComplaintComesOfAnyBytes(
      @ForAll @Size(min = 0, max = 60) byte[] body, @ForAll byte type) {
    byte[] message = message((char) (type & 255), w -> w.bytes(body));
    try {
      FrontendMessages.check(message, 0, message.length);
      BindMessage bind = new BindMessage();
      bind.look(message, 0);
      bind.resultFormats();
    } catch (MalformedMessageException complaint) {
      return;
    }
  }
}
