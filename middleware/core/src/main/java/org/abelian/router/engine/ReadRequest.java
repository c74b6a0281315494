package org.abelian.router.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.abelian.router.execution.FixedMessage;
import org.abelian.router.execution.ReadAnswer;
import org.abelian.router.execution.TagSum;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.protocol.FrameWriter;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.statement.ReadPace;

/**
 * A session's read that may go to its nodes in one batch with those of others. Its session makes
 * it; the session that leads the batch sends it and sets the answer; then it is its own session's
 * again.
 */
final class ReadRequest {
  private static final byte[] UNNAMED = {};

  private final NodeStatement statement;

  /** Of the client's Bind: formats, values, formats of results. */
  private final byte[] values;

  private final boolean describes;
  private final ReadPace pace;
  private FixedMessage description;
  private List<FixedMessage> answer;

  /**
   * Takes copies.
   *
   * @param describes whether the client wants its rows described
   */
  ReadRequest(BoundStatement bound, boolean describes) {
    BindMessage bind = bound.bind();
    statement = bound.statement().statement();
    values = Arrays.copyOfRange(bind.array(), bind.tailAt(), bind.tailAt() + bind.tailLength());
    this.describes = describes;
    pace = bound.routed().pace();
  }

  NodeStatement statement() {
    return statement;
  }

  ReadPace pace() {
    return pace;
  }

  /** How many bytes its values take. */
  int size() {
    return values.length;
  }

  /**
   * Appends its messages.
   *
   * @param portal null for the unnamed one
   * @param name of the statement there
   * @param first whether the node is the one that describes it, if any does
   */
  void write(FrameWriter writer, byte[] portal, byte[] name, boolean first) {
    byte[] own = portal == null ? UNNAMED : portal;
    writer.begin(FrontendType.BIND).string(own).string(name).bytes(values).end();
    if (describes && first) {
      writer.begin(FrontendType.DESCRIBE).int1('P').string(own).end();
    }
    writer.begin(FrontendType.EXECUTE).string(own).int4(0).end();
  }

  /**
   * Its nodes have answered.
   *
   * @param parts in the order of the nodes, all of them usable
   */
  void answered(List<ReadAnswer> parts) {
    if (describes) {
      description = new FixedMessage(parts.get(0).description());
    }
    List<FixedMessage> messages = new ArrayList<>(parts.size() + 1);
    TagSum sum = new TagSum();
    for (ReadAnswer part : parts) {
      if (part.rows().length > 0) {
        messages.add(new FixedMessage(part.rows()));
      }
    }
    if (parts.size() == 1) {
      messages.add(new FixedMessage(parts.get(0).tag()));
    } else {
      parts.forEach(part -> sum.add(part.command()));
      messages.add(FixedMessage.tag(sum.tag()));
    }
    answer = messages;
  }

  /** Whether there is an answer. */
  boolean isAnswered() {
    return answer != null;
  }

  /** What its rows look like. */
  FixedMessage description() {
    return description;
  }

  /** Rows and tag. */
  List<FixedMessage> answer() {
    return answer;
  }
}
