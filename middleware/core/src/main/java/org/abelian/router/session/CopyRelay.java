package org.abelian.router.session;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.abelian.router.error.AbelianException;
import org.abelian.router.execution.ClientInput;
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
    CopyTarget target = session.plan().copyIn();
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
        case FrontendType.COPY_DATA -> {
          if (!take(target, input.array(), at, length)) {
            session.groups().copied(length);
            return true;
          }
        }
        case FrontendType.COPY_DONE, FrontendType.COPY_FAIL -> {
          end(target, type, Arrays.copyOfRange(input.array(), at + 5, at + length));
          session.groups().copied(length);
          return true;
        }
        case FrontendType.SYNC, FrontendType.FLUSH -> {
          // PostgreSQL ignores them while it waits for COPY data.
        }
        case ClientInput.REFUSED -> {
          fail(target, ClientInput.refusal());
          session.groups().copied(length);
          return true;
        }
        default -> {
          end(target, FrontendType.COPY_FAIL, UNEXPECTED);
          return true;
        }
      }
      session.groups().copied(length);
    }
  }

  /** False when the router has no memory for it; then the COPY has ended. */
  private boolean take(CopyTarget target, byte[] array, int at, int length) {
    try {
      target.data(array, at, length);
      return true;
    } catch (AbelianException noMemory) {
      return fail(target, noMemory);
    }
  }

  private boolean fail(CopyTarget target, AbelianException error) {
    session.plan().fail(error);
    end(target, FrontendType.COPY_FAIL, UNEXPECTED);
    return false;
  }

  private void end(CopyTarget target, byte type, byte[] reason) {
    boolean sync = target.isExtended() && session.groups().hasSynced();
    target.end(type, reason, sync);
    if (sync) {
      session.groups().expectSurplusSync();
    }
    session.plan().endCopyIn();
  }
}
