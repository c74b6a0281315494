package org.abelian.router.engine;

import java.io.IOException;
import java.util.List;
import org.abelian.router.analysis.FetchFacts;
import org.abelian.router.execution.DivertedRows;
import org.abelian.router.execution.FixedMessage;
import org.abelian.router.execution.GatheredRows;
import org.abelian.router.execution.ReplyQueue;
import org.abelian.router.protocol.BackendType;
import org.abelian.router.protocol.FrameWriter;
import org.abelian.router.session.Progress;

/**
 * FETCH or MOVE in a cursor over several nodes. PostgreSQL runs a FETCH to its end even where the
 * client takes its rows in portions; then the others are kept here.
 */
public final class FetchExecution extends Execution {
  private final EngineContext context;
  private final ScatterExecution cursor;
  private final FetchFacts fetch;

  /** Rows that the client has not asked for yet; null when none are kept. */
  private GatheredRows kept;

  /** Whether the columns are still to be told. */
  private boolean describes;

  /** How many of these the client has got. */
  private int given;

  /** Rows come in the format that the cursor was declared with. */
  public FetchExecution(EngineContext context, ScatterExecution cursor, FetchFacts fetch) {
    this.context = context;
    this.cursor = cursor;
    this.fetch = fetch;
  }

  /** A simple query is told of columns when it is known that there are rows to be told. */
  @Override
  public void describe(Description wanted) {
    if (fetch.moves()) {
      describeNothing(context.replies(), wanted);
    } else if (wanted == Description.COLUMNS) {
      describes = true;
    } else {
      cursor.describe(wanted);
    }
  }

  @Override
  public boolean runsQuiet(int limit) {
    return true;
  }

  @Override
  public Progress execute(int limit) throws IOException {
    if (kept != null) {
      return give(limit);
    } else if (hasRun()) { // It has given all of its rows.
      context.replies().add(FixedMessage.tag("FETCH 0"));
      return Progress.NEXT;
    }
    ForwardPosition.Way way = cursor.way(fetch);
    if (describes) {
      cursor.describe(Description.COLUMNS);
    }
    if (limit == 0 || fetch.moves() || way.rows() < limit) {
      return cursor.fetch(way, fetch.moves());
    }
    keep(way);
    return context.replies().failed() ? Progress.BARRIER : give(limit);
  }

  private void keep(ForwardPosition.Way way) throws IOException {
    ReplyQueue replies = context.replies();
    kept = GatheredRows.fetched(context.exchangeLimit(), context.memory());
    replies.divert(new DivertedRows(kept, context.memory()));
    try {
      cursor.fetch(way, false);
      replies.runAll();
    } finally {
      replies.endDiversion();
    }
  }

  private Progress give(int limit) {
    List<byte[][]> rows = kept.rows();
    int left = rows.size() - given;
    int count = limit == 0 ? left : Math.min(limit, left);
    FrameWriter writer = context.replies().output().writer();
    for (byte[][] row : rows.subList(given, given + count)) {
      write(writer, row);
    }
    given += count;
    if (limit > 0 && count == limit) {
      context.replies().add(FixedMessage.PORTAL_SUSPENDED);
    } else {
      free();
      context.replies().add(FixedMessage.tag("FETCH " + count));
    }
    return Progress.NEXT;
  }

  private static void write(FrameWriter writer, byte[][] row) {
    writer.begin(BackendType.DATA_ROW).int2(row.length);
    for (byte[] value : row) {
      if (value == null) {
        writer.int4(-1);
      } else {
        writer.int4(value.length).bytes(value);
      }
    }
    writer.end();
  }

  @Override
  public void free() {
    if (kept != null) {
      kept.close();
      kept = null;
    }
  }
}
