package org.abelian.router.engine;

import org.abelian.router.analysis.FetchFacts;
import org.abelian.router.execution.FixedMessage;
import org.abelian.router.execution.ReplyQueue;
import org.abelian.router.session.Progress;

/** FETCH or MOVE in a cursor over several nodes. */
public final class FetchExecution extends Execution {
  private final ReplyQueue replies;
  private final ScatterExecution cursor;
  private final FetchFacts fetch;

  /** Rows come in the format that the cursor was declared with. */
  public FetchExecution(ReplyQueue replies, ScatterExecution cursor, FetchFacts fetch) {
    this.replies = replies;
    this.cursor = cursor;
    this.fetch = fetch;
  }

  @Override
  public void describe(Description wanted) {
    if (fetch.moves()) {
      describeNothing(replies, wanted);
    } else {
      cursor.describe(wanted);
    }
  }

  @Override
  public boolean runsQuiet(int limit) {
    return true;
  }

  @Override
  public Progress execute(int limit) {
    if (hasRun()) { // It has given all of its rows.
      replies.add(FixedMessage.tag("FETCH 0"));
      return Progress.NEXT;
    }
    return cursor.fetch(fetch);
  }
}
