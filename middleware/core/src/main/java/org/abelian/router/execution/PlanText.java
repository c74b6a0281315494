package org.abelian.router.execution;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.abelian.router.protocol.BackendType;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.FrameWriter;

/** The messages of an EXPLAIN that the router answers: rows of one column. */
public final class PlanText {
  private static final int NO_LIMIT = -1;

  private PlanText() {}

  /** The types of the statement's parameters, in answer to a Describe of the statement. */
  public static FixedMessage parameters(List<Integer> types) {
    ByteQueue queue = new ByteQueue(16 + 4 * types.size());
    FrameWriter writer = new FrameWriter(queue);
    writer.begin(BackendType.PARAMETER_DESCRIPTION).int2(types.size());
    types.forEach(writer::int4);
    writer.end();
    return new FixedMessage(queue.toByteArray());
  }

  /**
   * The RowDescription.
   *
   * @param formats that the Bind asks for
   */
  public static FixedMessage description(PlanFormat plan, int... formats) {
    ByteQueue queue = new ByteQueue(64);
    FrameWriter writer = new FrameWriter(queue);
    writer.begin(BackendType.ROW_DESCRIPTION).int2(1).string("QUERY PLAN").int4(0).int2(0);
    writer
        .int4(plan.type())
        .int2(NO_LIMIT)
        .int4(NO_LIMIT)
        .int2(formats.length == 0 ? 0 : formats[0]);
    writer.end();
    return new FixedMessage(queue.toByteArray());
  }

  /** The rows, which are the same in both formats, and the tag. */
  public static void write(ClientOutput output, List<String> lines) {
    for (String line : lines) {
      byte[] text = line.getBytes(StandardCharsets.UTF_8);
      output.writer().begin(BackendType.DATA_ROW).int2(1).int4(text.length).bytes(text).end();
    }
    output.commandComplete("EXPLAIN");
  }
}
