package org.abelian.router.execution;

import java.nio.charset.StandardCharsets;
import org.abelian.router.protocol.BackendType;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.FrameWriter;

/** A message that the router gives by itself. Immutable. */
public final class FixedMessage extends Reply {
  public static final FixedMessage PARSE_COMPLETE = empty(BackendType.PARSE_COMPLETE);
  public static final FixedMessage BIND_COMPLETE = empty(BackendType.BIND_COMPLETE);
  public static final FixedMessage CLOSE_COMPLETE = empty(BackendType.CLOSE_COMPLETE);
  public static final FixedMessage NO_DATA = empty(BackendType.NO_DATA);
  public static final FixedMessage EMPTY_QUERY = empty(BackendType.EMPTY_QUERY_RESPONSE);
  public static final FixedMessage PORTAL_SUSPENDED = empty(BackendType.PORTAL_SUSPENDED);
  public static final FixedMessage NO_PARAMETERS =
      new FixedMessage(new byte[] {BackendType.PARAMETER_DESCRIPTION, 0, 0, 0, 6, 0, 0});

  private final byte[] frame;

  /** Gives that frame. */
  public FixedMessage(byte[] frame) {
    this.frame = frame;
  }

  private static FixedMessage empty(byte type) {
    return new FixedMessage(new byte[] {type, 0, 0, 0, 4});
  }

  /** A CommandComplete. */
  public static FixedMessage tag(String tag) {
    ByteQueue queue = new ByteQueue(32);
    FrameWriter writer = new FrameWriter(queue);
    writer.begin(BackendType.COMMAND_COMPLETE).string(tag.getBytes(StandardCharsets.UTF_8)).end();
    return new FixedMessage(queue.toByteArray());
  }

  @Override
  public boolean run(ReplyContext context) {
    context.output().queue().append(frame, 0, frame.length);
    return true;
  }
}
