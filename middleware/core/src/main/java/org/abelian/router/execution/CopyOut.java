package org.abelian.router.execution;

import java.util.Arrays;
import org.abelian.router.analysis.CopyOutFacts;
import org.abelian.router.protocol.BackendType;
import org.abelian.router.protocol.BigEndian;
import org.abelian.router.protocol.CString;
import org.abelian.router.protocol.FrameWriter;
import org.abelian.router.protocol.MemoryBudget;

/**
 * Makes the data of a COPY TO of the answers to its query, which may come from several nodes. The
 * values are as nodes have written them; what is added is what COPY adds.
 */
public final class CopyOut extends Diversion {

  /** The signature, no flags, and no extension of the header. */
  private static final byte[] BINARY_HEADER = {
    'P', 'G', 'C', 'O', 'P', 'Y', '\n', (byte) 0xff, '\r', '\n', 0, 0, 0, 0, 0, 0, 0, 0, 0
  };

  private final CopyOutFacts facts;
  private final CopyRowWriter rows;
  private long count;

  /** Whether the header of the binary format is still to come; it goes with the first row. */
  private boolean headerDue;

  /** Counts what it keeps. */
  public CopyOut(CopyOutFacts facts, MemoryBudget memory) {
    super(memory);
    this.facts = facts;
    rows = new CopyRowWriter(facts);
    headerDue = facts.binary();
  }

  @Override
  void take(ClientOutput client, byte[] array, int at, int length) {
    switch (array[at]) {
      case BackendType.ROW_DESCRIPTION -> begin(client, array, at, length);
      case BackendType.DATA_ROW -> {
        row(client, array, at, length);
        count++;
      }
      case BackendType.PARAMETER_STATUS -> client.parameterStatus(array, at);
      case BackendType.NOTICE_RESPONSE, BackendType.NOTIFICATION_RESPONSE ->
          client.queue().append(array, at, length);
      default -> {
        // The tag of the query, which is not the client's.
      }
    }
  }

  /** Tells the client that data will come, and in csv or text the names of the columns. */
  private void begin(ClientOutput client, byte[] array, int at, int length) {
    int columns = BigEndian.int2(array, at + 5);
    byte[][] names = new byte[columns][];
    int next = at + 7;
    for (int column = 0; column < columns; column++) {
      int end = CString.end(array, next, at + length);
      names[column] = Arrays.copyOfRange(array, next, end);
      next = end + 19;
    }
    rows.columns(names);
    FrameWriter writer = client.writer();
    int format = facts.binary() ? 1 : 0;
    writer.begin(BackendType.COPY_OUT_RESPONSE).int1(format).int2(columns);
    for (int column = 0; column < columns; column++) {
      writer.int2(format);
    }
    writer.end();
    if (facts.header()) {
      rows.header(client.queue(), names);
    }
  }

  private void row(ClientOutput client, byte[] array, int at, int length) {
    if (!facts.binary()) {
      rows.row(client.queue(), array, at + 5);
      return;
    }
    FrameWriter writer = client.writer();
    client.queue().reserve(length + BINARY_HEADER.length);
    binaryHeader(writer.begin(BackendType.COPY_DATA)).bytes(array, at + 5, length - 5).end();
  }

  private FrameWriter binaryHeader(FrameWriter writer) {
    if (headerDue) {
      writer.bytes(BINARY_HEADER);
      headerDue = false;
    }
    return writer;
  }

  @Override
  void finish(ClientOutput client) {
    if (facts.binary()) {
      binaryHeader(client.writer().begin(BackendType.COPY_DATA)).int2(-1).end();
    }
    client.writer().empty(BackendType.COPY_DONE);
    client.commandComplete("COPY " + count);
  }

  @Override
  boolean waitsFor(ClientOutput client) {
    return client.queue().size() >= ReplyContext.OUTPUT_MAX;
  }
}
