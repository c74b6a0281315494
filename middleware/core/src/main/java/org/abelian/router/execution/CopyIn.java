package org.abelian.router.execution;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.protocol.BackendType;
import org.abelian.router.protocol.BigEndian;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.CString;
import org.abelian.router.protocol.ErrorFields;
import org.abelian.router.protocol.FrontendType;

/**
 * A COPY FROM that several nodes run: of the client's lines each node gets its own, or all of them
 * where the table has a copy on every node. The nodes have got their Execute; this step waits until
 * all want data, lets the client send it, and adds up the answers.
 */
public final class CopyIn extends Reply implements CopyTarget, CopyTuples.Taker {
  private static final int BATCH = 8192;
  private static final int UNSENT_MAX = 65536;
  private static final byte[] REASON =
      "another node or the router failed\0".getBytes(StandardCharsets.US_ASCII);

  private final String table;
  private final CopyErrorPlace place;
  private final List<NodeConnection> nodes;
  private final CopyDivision division;
  private final CopyLines lines;

  /** In place of lines when the data are binary; else null. */
  private final CopyTuples tuples;

  private final List<CopyField> fields = new ArrayList<>();
  private final ByteQueue[] key;

  /** Rows of which the values that come before their own are not there yet. */
  private final CopyStage stage;

  private final CopyAddition addition;
  private final CopyFieldWriter writer;
  private final CopySequel sequel;
  private final List<ByteQueue> batches = new ArrayList<>();
  private final CopyLineNumbers numbers;
  private final TagSum sum = new TagSum();
  private final CopyErrors errors;
  private final BooleanSupplier synced;
  private RuntimeException refusal;
  private ReplyContext replies;

  /** The nodes are due a Sync, after the sequel. */
  private boolean syncs;

  /** The first line has come. */
  private boolean begun;

  /**
   * @param division null when each node gets everything, as it is
   * @param addition gives values that rows get before their own; null for none
   * @param sequel what is done on the nodes when all have loaded their rows; null for nothing
   * @param synced tells whether the nodes have got a Sync after the Execute
   */
  public CopyIn(
      String table,
      List<NodeConnection> nodes,
      CopyDivision division,
      CopyAddition addition,
      CopySequel sequel,
      BooleanSupplier synced) {
    this.table = table;
    this.place = new CopyErrorPlace(table);
    this.errors = new CopyErrors(place);
    this.nodes = List.copyOf(nodes);
    this.division = division;
    this.addition = addition;
    this.sequel = sequel;
    this.synced = synced;
    boolean binary = division != null && division.format() == null;
    lines = division == null || binary ? null : new CopyLines(division.format(), this::line);
    tuples = binary ? new CopyTuples(division.width(), this) : null;
    key = new ByteQueue[division == null ? 0 : division.columns().length];
    for (int at = 0; at < key.length; at++) {
      fields.add(binary ? null : new CopyField(division.format(), division.force(at)));
    }
    stage = addition == null ? null : new CopyStage();
    writer = addition == null ? null : new CopyFieldWriter(division.format());
    numbers = new CopyLineNumbers(nodes.size());
    nodes.forEach(node -> batches.add(new ByteQueue(BATCH)));
  }

  @Override
  public boolean run(ReplyContext context) throws IOException {
    if (replies == null) {
      replies = context;
      return !start(context);
    }
    if (refusal != null) {
      awaitRefusal(context);
      return true;
    }
    for (int i = 0; i < nodes.size(); i++) {
      if (isDivided() || i == 0) {
        await(context, i, sum);
      } else {
        await(context, i, new TagSum());
      }
    }
    errors.tell(context);
    try {
      if (sequel != null && !context.failed()) {
        sequel.run();
      }
    } finally {
      syncNodes();
    }
    if (!context.failed()) {
      context.output().commandComplete(sum.tag());
    }
    return true;
  }

  private void syncNodes() {
    if (syncs) {
      for (NodeConnection node : nodes) {
        node.writer().empty(FrontendType.SYNC);
        CopyToNode.flush(node);
      }
    }
  }

  /** False when each node gets all rows. */
  private boolean isDivided() {
    return division != null && division.key() != null;
  }

  /** True when the client is to send its data. */
  private boolean start(ReplyContext context) {
    byte[] response = null;
    List<NodeConnection> willing = new ArrayList<>();
    for (int i = 0; i < nodes.size() && !context.failed(); i++) {
      byte[] answer = await(context, i, null);
      errors.tell(context);
      if (answer != null) {
        willing.add(nodes.get(i));
        response = answer;
      }
    }
    if (context.failed()) {
      for (NodeConnection node : willing) {
        CopyToNode.end(node, FrontendType.COPY_FAIL, REASON, synced.getAsBoolean());
        CopyToNode.flush(node);
      }
      return false;
    }
    context.output().queue().append(response);
    context.copyIn(this);
    return true;
  }

  /**
   * The first node has got the line in question too: PostgreSQL's own error is better than ours.
   * Any node may have met an error in a line before it.
   */
  private void awaitRefusal(ReplyContext context) {
    for (int i = 0; i < nodes.size(); i++) {
      await(context, i, new TagSum());
    }
    errors.tell(context);
    if (!context.failed()) {
      throw refusal;
    }
  }

  /**
   * Reads a node's answer up to CopyInResponse or CommandComplete.
   *
   * @param tags takes the tag
   * @return the CopyInResponse; null when there was another answer
   */
  private byte[] await(ReplyContext context, int index, TagSum tags) {
    NodeConnection node = nodes.get(index);
    try {
      if (node.isLost()) {
        throw new NodeLostException(node.address(), new IOException("it was closed"));
      }
      node.timeout(context.timeout());
      for (; ; ) {
        int length = node.awaitFrame();
        byte[] array = node.incoming().array();
        int at = node.incoming().start();
        byte type = array[at];
        byte[] frame = Arrays.copyOfRange(array, at, at + length);
        node.incoming().consume(length);
        switch (type) {
          case BackendType.COPY_IN_RESPONSE -> {
            return frame;
          }
          case BackendType.COMMAND_COMPLETE -> {
            tags.add(CString.read(frame, 5, length - 1));
            return null;
          }
          case BackendType.ERROR_RESPONSE -> {
            // The node only confirms the CopyFail that it was sent.
            boolean cancelled =
                refusal != null
                    && ErrorFields.hasSqlState(frame, 0, SqlState.QUERY_CANCELED.code());
            if (!cancelled) {
              errors.add(node, asOfClient(index, frame));
            }
            return null;
          }
          case BackendType.NOTICE_RESPONSE -> {
            if (errors.isEmpty() && !context.failed() && (isDivided() || index == 0)) {
              context.output().queue().append(asOfClient(index, frame));
            }
          }
          case BackendType.PARAMETER_STATUS ->
              NodeReply.parameterStatus(context, node, frame, 0, length);
          default -> {
            // Nothing else comes here.
          }
        }
      }
    } catch (NodeLostException e) {
      context.nodeLost(node, e);
      return null;
    }
  }

  /** The line that a node names is its own; the client is told which of its lines that is. */
  private byte[] asOfClient(int index, byte[] frame) {
    if (!isDivided() && stage == null) {
      return frame;
    }
    ErrorFields fields = ErrorFields.read(frame);
    String context = fields.get(ErrorFields.CONTEXT);
    Matcher found = place.find(context);
    if (found == null) {
      return frame;
    }
    long line = numbers.ofClient(index, Long.parseLong(found.group(1)));
    String number = line < 0 ? "?" : Long.toString(line);
    fields.with(
        ErrorFields.CONTEXT,
        context.substring(0, found.start(1)) + number + ofClient(context.substring(found.end(1))));
    return fields.frame(frame[0]);
  }

  /** The line as the client has sent it, where an error shows it behind its number. */
  private String ofClient(String behind) {
    int shown = CopyErrorPlace.shown(behind);
    if (stage == null || tuples != null || shown == 0) {
      return behind;
    }
    int at = shown;
    for (int added = 0; added < division.added() && at > 0; added++) {
      at = behind.indexOf((char) division.format().delimiter(), at) + 1;
    }
    return at == 0 ? behind : behind.substring(0, shown) + behind.substring(at);
  }

  // ---- the client's data

  @Override
  public boolean isExtended() {
    return true;
  }

  @Override
  public void data(byte[] array, int frame, int length) {
    if (division == null) {
      for (int index = 0; index < nodes.size(); index++) {
        nodes.get(index).writer().bytes(array, frame, length);
        flushIfMuch(index);
      }
    } else if (refusal == null) {
      guard(() -> add(array, frame + 5, length - 5));
      if (stage != null && stage.isLarge()) {
        guard(this::passStaged);
      }
    }
  }

  /** What is staged gets its values, and goes to its nodes. */
  private void passStaged() {
    if (stage == null || stage.isEmpty() || refusal != null) {
      return;
    }
    try {
      List<byte[][]> values = addition.next(stage.rows().size());
      int next = 0;
      for (CopyStage.Row row : stage.rows()) {
        byte[][] own = values.get(next++);
        byte[] array = stage.array();
        int base = stage.start();
        if (tuples == null) {
          route(own, array, base + row.from(), base + row.to(), base + row.next());
        } else {
          routeRow(own, array, base + row.from(), base + row.to());
        }
      }
    } catch (IOException lost) {
      throw new AbelianException(
          SqlState.CONNECTION_FAILURE,
          "the node that computes values for COPY was lost: " + lost.getMessage(),
          "Run it again.");
    } finally {
      stage.clear();
    }
  }

  private void add(byte[] array, int from, int length) {
    if (tuples == null) {
      lines.add(array, from, length);
    } else {
      tuples.add(array, from, length);
    }
  }

  /** What the lines cannot be is told when the data has ended. */
  private void guard(Runnable work) {
    try {
      work.run();
    } catch (ClientError ofNode) {
      refusal = ofNode;
    } catch (AbelianException e) {
      numbers.add(0);
      refusal = e.inContext("COPY " + table + ", line " + numbers.total());
    }
  }

  private void line(byte[] array, int from, int to, int next) {
    boolean header = division.format().header() && !begun;
    begun = true;
    if (header) {
      number(array, from, to, CopyLineNumbers.ALL);
      for (int node = 0; node < nodes.size(); node++) {
        if (division.header() != null) {
          batches.get(node).append(division.header().getBytes(division.format().charset()));
        }
        send(node, array, from, to, next);
      }
    } else if (stage != null) {
      stage.add(array, from, to, next);
    } else {
      route(null, array, from, to, next);
    }
  }

  /** Sends a line where it belongs, with these values before its own. */
  private void route(byte[][] added, byte[] array, int from, int to, int next) {
    if (division.key() == null) {
      number(array, from, to, CopyLineNumbers.ALL);
      for (int node = 0; node < nodes.size(); node++) {
        send(node, added, array, from, to, next);
      }
      return;
    }
    int node;
    try {
      node = readKey(added, array, from, to) ? division.key().node(key) : -1;
    } catch (AbelianException e) {
      send(0, added, array, from, to, next);
      sendBatch(0);
      throw e;
    }
    if (node < 0) {
      number(array, from, to, 0);
      send(0, added, array, from, to, next);
      return;
    }
    number(array, from, to, node);
    send(node, added, array, from, to, next);
  }

  /** False when the line lacks a distribution column. */
  private boolean readKey(byte[][] added, byte[] array, int from, int to) {
    for (int at = 0; at < key.length; at++) {
      int column = division.columns()[at];
      if (column < 0) {
        key[at] = queue(added[-1 - column]);
        continue;
      }
      CopyField field = fields.get(at);
      CopyField.Content content = field.read(array, from, to, column);
      if (content == CopyField.Content.MISSING) {
        return false;
      } else if (content == CopyField.Content.DEFAULT) {
        throw AbelianException.unsupported(
            "the default of the distribution column in a line of COPY is not supported",
            "Write the value, or leave the column out of the COPY.");
      }
      key[at] = content == CopyField.Content.NULL ? null : inUtf8(field.value());
    }
    return true;
  }

  private ByteQueue inUtf8(ByteQueue value) {
    Charset charset = division.format().charset();
    if (charset.equals(StandardCharsets.UTF_8)) {
      return value;
    }
    String text = new String(value.array(), value.start(), value.size(), charset);
    return queue(text.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public void header(byte[] array, int from, int to) {
    for (int node = 0; node < nodes.size(); node++) {
      append(node, array, from, to);
    }
  }

  @Override
  public void row(byte[] array, int from, int to) {
    if (stage != null) {
      stage.add(array, from, to, to);
    } else {
      routeRow(null, array, from, to);
    }
  }

  private void routeRow(byte[][] added, byte[] array, int from, int to) {
    if (division.key() == null) {
      numbers.add(CopyLineNumbers.ALL);
      for (int node = 0; node < nodes.size(); node++) {
        appendRow(node, added, array, from, to);
      }
      return;
    }
    int node = 0;
    if (readBinaryKey(added, array, from)) {
      try {
        node = division.key().node(key);
      } catch (AbelianException e) {
        appendRow(0, added, array, from, to);
        sendBatch(0);
        throw e;
      }
    }
    numbers.add(node);
    appendRow(node, added, array, from, to);
  }

  private void appendRow(int node, byte[][] added, byte[] array, int from, int to) {
    if (added != null) {
      ByteQueue whole = new ByteQueue(to - from + 64);
      CopyFieldWriter.row(whole, added, array, from, to);
      append(node, whole.array(), whole.start(), whole.end());
    } else {
      append(node, array, from, to);
    }
  }

  @Override
  public void rest(byte[] array, int from, int to) {
    passStaged();
    append(0, array, from, to);
    for (int node = 1; division.key() == null && node < nodes.size(); node++) {
      append(node, array, from, to);
    }
  }

  /** False when the row lacks a distribution column. */
  private boolean readBinaryKey(byte[][] added, byte[] array, int row) {
    int count = BigEndian.int2(array, row);
    for (int at = 0; at < key.length; at++) {
      int column = division.columns()[at];
      if (column < 0) {
        key[at] = queue(added[-1 - column]);
        continue;
      }
      if (column >= count) {
        return false;
      }
      int place = row + 2;
      for (int field = 0; field < column; field++) {
        place += 4 + Math.max(0, BigEndian.int4(array, place));
      }
      int length = BigEndian.int4(array, place);
      key[at] = length < 0 ? null : new ByteQueue(Math.max(1, length));
      if (length > 0) {
        key[at].append(array, place + 4, length);
      }
    }
    return true;
  }

  private static ByteQueue queue(byte[] value) {
    if (value == null) {
      return null;
    }
    ByteQueue queue = new ByteQueue(Math.max(1, value.length));
    queue.append(value);
    return queue;
  }

  private void append(int node, byte[] array, int from, int to) {
    ByteQueue batch = batches.get(node);
    batch.append(array, from, to - from);
    if (batch.size() >= BATCH) {
      sendBatch(node);
    }
  }

  private void number(byte[] array, int from, int to, int node) {
    int returns = 0;
    int ends = 0;
    for (int at = from; at < to && division.format().csv(); at++) {
      returns += array[at] == '\r' ? 1 : 0;
      ends += lines.endsLine(array, at) ? 1 : 0;
    }
    numbers.add(node, returns, ends);
  }

  private void send(int node, byte[][] added, byte[] array, int from, int to, int next) {
    if (added != null) {
      writer.line(batches.get(node), added);
    }
    send(node, array, from, to, next);
  }

  private void send(int node, byte[] array, int from, int to, int next) {
    ByteQueue batch = batches.get(node);
    batch.append(array, from, next - from);
    if (next == to && !lines.isQuoted()) {
      batch.append(lines.lineEnd());
    }
    if (batch.size() >= BATCH) {
      sendBatch(node);
    }
  }

  private void sendBatch(int index) {
    ByteQueue batch = batches.get(index);
    if (batch.isEmpty()) {
      return;
    }
    NodeConnection node = nodes.get(index);
    node.writer()
        .begin(FrontendType.COPY_DATA)
        .bytes(batch.array(), batch.start(), batch.size())
        .end();
    batch.clear(BATCH * 2);
    flushIfMuch(index);
  }

  private void flushIfMuch(int index) {
    NodeConnection node = nodes.get(index);
    if (node.unsent() > UNSENT_MAX) {
      CopyToNode.flush(node);
      CopyToNode.passNotices(
          node, notice -> replies.output().queue().append(asOfClient(index, notice)));
    }
  }

  @Override
  public void end(byte type, byte[] reason, boolean sync) {
    boolean done = type == FrontendType.COPY_DONE;
    if (!done && stage != null) {
      stage.clear();
    }
    if (done && division != null && refusal == null) {
      guard(tuples == null ? lines::end : tuples::end);
      guard(this::passStaged);
    }
    boolean fails = refusal != null;
    syncs = sync && sequel != null && done && !fails;
    for (int index = 0; index < nodes.size(); index++) {
      sendBatch(index);
      byte[] why = fails && done ? REASON : reason;
      CopyToNode.end(nodes.get(index), fails ? FrontendType.COPY_FAIL : type, why, sync && !syncs);
    }
    flush();
  }

  @Override
  public void flush() {
    if (refusal == null && stage != null) {
      guard(this::passStaged);
    }
    nodes.forEach(CopyToNode::flush);
  }
}
