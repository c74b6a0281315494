package org.abelian.router.session;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.abelian.router.execution.CopyTarget;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.FrontendType;

/** Passes a client's COPY data on to what waits for it. */
final class CopyRelay {
  private static final byte[] UNEXPECTED =
      "unexpected message during COPY\0".getBytes(StandardCharsets.UTF_8);

  private final Session session;

  CopyRelay(Session session) {
    this.session = session;
  }

  /** Passes on whole messages; true when the data has ended and the node will answer. */
  boolean forward() {
    CopyTarget target = session.replies().copyIn();
    ByteQueue input = session.input();
    for (; ; ) {
      int at = input.start() + session.groups().planned();
      int length = input.frameAt(at);
      if (length == 0) {
        target.flush();
        return false;
      }
      byte type = input.array()[at];
      switch (type) {
        case FrontendType.COPY_DATA -> target.data(input.array(), at, length);
        case FrontendType.COPY_DONE, FrontendType.COPY_FAIL -> {
          end(target, type, Arrays.copyOfRange(input.array(), at + 5, at + length));
          session.groups().copied(length);
          return true;
        }
        case FrontendType.SYNC, FrontendType.FLUSH -> {
          // PostgreSQL ignores them while it waits for COPY data.
        }
        default -> {
          end(target, FrontendType.COPY_FAIL, UNEXPECTED);
          return true;
        }
      }
      session.groups().copied(length);
    }
  }

  private void end(CopyTarget target, byte type, byte[] reason) {
    boolean sync = target.isExtended() && session.groups().hasSynced();
    target.end(type, reason, sync);
    if (sync) {
      session.groups().expectSurplusSync();
    }
    session.replies().endCopyIn();
  }
}
