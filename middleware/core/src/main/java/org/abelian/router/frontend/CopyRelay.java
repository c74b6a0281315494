package org.abelian.router.frontend;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.ClientInput;
import org.abelian.router.execution.CopyTarget;
import org.abelian.router.execution.ReplyQueue;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.FrontendType;

/** Passes a client's COPY data on to what waits for it. */
public final class CopyRelay {
  private static final byte[] UNEXPECTED =
      "unexpected message during COPY\0".getBytes(StandardCharsets.UTF_8);

  private final ReplyQueue replies;
  private final ByteQueue input;
  private final Pipeline pipeline;

  public CopyRelay(ReplyQueue replies, ByteQueue input, Pipeline pipeline) {
    this.replies = replies;
    this.input = input;
    this.pipeline = pipeline;
  }

  /** Passes on whole messages; true when the data has ended and the node will answer. */
  public boolean forward() {
    CopyTarget target = replies.copyIn();
    for (; ; ) {
      int at = input.start() + pipeline.copyAt();
      int length = input.frameAt(at);
      if (length == 0) {
        target.flush();
        return false;
      }
      byte type = input.array()[at];
      switch (type) {
        case FrontendType.COPY_DATA -> {
          if (!take(target, input.array(), at, length)) {
            pipeline.copied(length);
            return true;
          }
        }
        case FrontendType.COPY_DONE, FrontendType.COPY_FAIL -> {
          end(target, type, Arrays.copyOfRange(input.array(), at + 5, at + length));
          pipeline.copied(length);
          return true;
        }
        case FrontendType.SYNC, FrontendType.FLUSH -> {
          // PostgreSQL ignores them while it waits for COPY data.
        }
        case ClientInput.REFUSED -> {
          fail(target, ClientInput.refusal());
          pipeline.copied(length);
          return true;
        }
        default -> {
          fail(target, unexpected(type));
          return true;
        }
      }
      pipeline.copied(length);
    }
  }

  /** PostgreSQL ends the session then; here the message runs, as its length is known. */
  private static AbelianException unexpected(byte type) {
    return new AbelianException(
        SqlState.PROTOCOL_VIOLATION,
        "unexpected message type 0x%02X during COPY from stdin".formatted(type),
        "End the COPY with CopyDone or CopyFail.");
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
    replies.fail(error);
    end(target, FrontendType.COPY_FAIL, UNEXPECTED);
    return false;
  }

  private void end(CopyTarget target, byte type, byte[] reason) {
    boolean sync = target.isExtended() && pipeline.hasSynced();
    target.end(type, reason, sync);
    if (sync) {
      pipeline.expectSurplusSync();
    }
    replies.endCopyIn();
  }
}
