package org.abelian.router.session;

import java.io.IOException;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.FrontendType;

/** Passes a client's COPY data on to the node that waits for it. */
final class CopyRelay {
  private final Session session;

  CopyRelay(Session session) {
    this.session = session;
  }

  /** Passes on whole messages; true when the data has ended and the node will answer. */
  boolean forward() throws IOException {
    NodeConnection target = session.plan().copyIn();
    ByteQueue input = session.input();
    for (; ; ) {
      int at = input.start() + session.planned();
      int length = input.frameAt(at);
      if (length == 0) {
        target.flush();
        return false;
      }
      byte type = input.array()[at];
      switch (type) {
        case FrontendType.COPY_DATA -> target.writer().bytes(input.array(), at, length);
        case FrontendType.COPY_DONE, FrontendType.COPY_FAIL -> {
          target.writer().bytes(input.array(), at, length);
          session.copied(length);
          end(target);
          return true;
        }
        case FrontendType.SYNC, FrontendType.FLUSH -> {
          // PostgreSQL ignores them while it waits for COPY data.
        }
        default -> {
          target
              .writer()
              .begin(FrontendType.COPY_FAIL)
              .string("unexpected message during COPY")
              .end();
          end(target);
          return true;
        }
      }
      session.copied(length);
      if (target.unsent() > 65536) {
        target.flush();
      }
    }
  }

  private void end(NodeConnection target) throws IOException {
    if (session.plan().isCopyExtended()) {
      target.writer().empty(FrontendType.SYNC);
      session.expectSurplusSync();
    }
    target.flush();
    session.plan().endCopyIn();
  }
}
