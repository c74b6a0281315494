package org.abelian.router.execution;

import org.abelian.router.protocol.BackendType;
import org.abelian.router.protocol.CString;
import org.abelian.router.protocol.MemoryBudget;

/** Rows that another statement takes, and how many it counts; the client gets notices alone. */
public final class DivertedRows extends Diversion {

  private final RowSink rows;
  private final TagSum tags = new TagSum();

  /** Counts what it keeps. */
  public DivertedRows(RowSink rows, MemoryBudget memory) {
    super(memory);
    this.rows = rows;
  }

  @Override
  void take(ClientOutput client, byte[] array, int at, int length) {
    switch (array[at]) {
      case BackendType.DATA_ROW -> rows.take(NodeCall.row(array, at));
      case BackendType.COMMAND_COMPLETE -> tags.add(CString.read(array, at + 5, at + length - 1));
      case BackendType.PARAMETER_STATUS -> client.parameterStatus(array, at);
      case BackendType.NOTICE_RESPONSE, BackendType.NOTIFICATION_RESPONSE ->
          client.queue().append(array, at, length);
      default -> {
        // The client has not asked for this statement.
      }
    }
  }

  /** The number of rows that the command's tag names. */
  public long count() {
    return tags.count();
  }

  @Override
  void finish(ClientOutput client) {
    passOn(client);
  }

  /** The router takes all of it. */
  @Override
  boolean waitsFor(ClientOutput client) {
    return false;
  }
}
