package org.abelian.router.engine;

import org.abelian.router.analysis.FetchFacts;
import org.abelian.router.execution.ClientError;
import org.abelian.router.protocol.ErrorFields;

/**
 * Where a cursor stands that goes forwards only, as PostgreSQL counts it for one declared with NO
 * SCROLL. Not thread-safe.
 */
final class ForwardPosition {
  /**
   * What a command about the cursor comes to.
   *
   * @param skipped how many rows it passes over
   * @param rows how many it takes then
   * @param told how many the client is told of beside these
   */
  record Way(long skipped, long rows, int told) {
    private static final Way NONE = new Way(0, 0, 0);
  }

  /** How many rows were passed. */
  private long row;

  /** More rows were asked for than there are. */
  private boolean atEnd;

  /** The cursor has gone on. */
  void moved(long rows, boolean toEnd) {
    row += rows;
    atEnd |= toEnd;
  }

  /**
   * What is to be done.
   *
   * @throws ClientError 55000 where that would be behind the present row
   */
  Way way(FetchFacts fetch) {
    long count = fetch.count();
    return switch (fetch.direction()) {
      case FORWARD -> count > 0 ? new Way(0, count, 0) : backward(-count, fetch);
      case BACKWARD -> count < 0 ? new Way(0, -count, 0) : backward(count, fetch);
      case ABSOLUTE -> absolute(count);
      case RELATIVE -> count > 0 ? new Way(count - 1, 1, 0) : backward(-count, fetch);
    };
  }

  private Way backward(long count, FetchFacts fetch) {
    boolean onRow = row > 0 && !atEnd;
    if (count == 0 && !onRow) {
      return Way.NONE;
    } else if (count == 0 && fetch.moves()) {
      return new Way(0, 0, 1);
    }
    boolean rewinds = count == FetchFacts.ALL && fetch.moves();
    if (rewinds && row == 0 && !atEnd) {
      return Way.NONE;
    }
    throw onlyForwards();
  }

  private Way absolute(long number) {
    if (number == 0 && row == 0 && !atEnd) {
      return Way.NONE;
    }
    long passed = atEnd ? row + 1 : row;
    if (number <= passed) {
      throw onlyForwards();
    }
    return new Way(number - passed - 1, 1, 0);
  }

  private static ClientError onlyForwards() {
    return new ClientError(
        ErrorFields.of("ERROR", "55000", "cursor can only scan forward")
            .with(ErrorFields.HINT, "Declare it with SCROLL option to enable backward scan."));
  }
}
