package org.abelian.router.frontend;

import java.util.Arrays;
import org.abelian.router.protocol.BigEndian;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.CString;
import org.abelian.router.protocol.FrontendType;

/**
 * What the client's messages behind a Bind do with its portal, as far as they have arrived. Mostly
 * they run it and nothing else, and then it can be sent in a cheaper way.
 */
final class RunAhead {
  private final ByteQueue input;
  private boolean runs;
  private boolean runsToEnd;
  private boolean describes;

  /**
   * @param input the client's messages
   */
  RunAhead(ByteQueue input) {
    this.input = input;
  }

  /**
   * Looks at the messages behind a Bind.
   *
   * @param next where they begin
   */
  void look(BindMessage bind, byte[] array, int next) {
    int at = next;
    runs = false;
    runsToEnd = false;
    describes = isForPortal(bind, FrontendType.DESCRIBE, array, at);
    if (describes) {
      at += input.frameAt(at);
    }
    if (!isForPortal(bind, FrontendType.EXECUTE, array, at)) {
      return;
    }
    int limitAt = CString.end(array, at + 5, at + input.frameAt(at)) + 1;
    runsToEnd = BigEndian.int4(array, limitAt) == 0;
    at += input.frameAt(at);
    runs = input.frameAt(at) > 0 && array[at] == FrontendType.SYNC;
  }

  /**
   * True when the rest of the group does nothing but run the portal: Describe, if the client wants
   * it, Execute, Sync.
   */
  boolean runs() {
    return runs;
  }

  /** Of what {@link #runs}: true when it is to give all of its rows at once. */
  boolean runsToEnd() {
    return runs && runsToEnd;
  }

  /** Of what {@link #runs}: true when it is to be described before. */
  boolean describes() {
    return runs && describes;
  }

  private boolean isForPortal(BindMessage bind, byte type, byte[] array, int at) {
    int length = input.frameAt(at);
    if (length == 0 || array[at] != type) {
      return false;
    }
    int nameAt = at + 5;
    if (type == FrontendType.DESCRIBE) {
      if (array[nameAt] != 'P') {
        return false;
      }
      nameAt++;
    }
    int nameEnd = CString.end(array, nameAt, at + length);
    int bound = bind.portalAt();
    return Arrays.equals(array, nameAt, nameEnd, bind.array(), bound, bound + bind.portalLength());
  }
}
