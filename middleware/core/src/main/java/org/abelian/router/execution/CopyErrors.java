package org.abelian.router.execution;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.protocol.ErrorFields;

/**
 * What went wrong with a COPY on the nodes that run it. Each of them stops at its first error; the
 * client is told the one that a single server would most likely have met first.
 */
final class CopyErrors {
  /**
   * PostgreSQL inserts up to so many rows at a time, fewer of wide ones, and finds duplicates only
   * then: among these rows, other errors come first.
   */
  private static final int ROWS_AT_A_TIME = 1000;

  /** unique_violation and exclusion_violation. */
  private static final Set<String> FOUND_BY_INDEXES = Set.of("23505", "23P01");

  /** Those of no line come last: they are found when all rows are in. */
  private static final long NO_LINE = Long.MAX_VALUE;

  private static final Comparator<NodeError> ORDER =
      Comparator.<NodeError>comparingLong(error -> (error.line - 1) / ROWS_AT_A_TIME)
          .thenComparing(error -> error.ofIndex)
          .thenComparingLong(error -> error.line);

  private record NodeError(NodeConnection node, byte[] frame, long line, boolean ofIndex) {}

  private final CopyErrorPlace place;
  private final List<NodeError> errors = new ArrayList<>();

  /**
   * @param place finds the line in the context of an error
   */
  CopyErrors(CopyErrorPlace place) {
    this.place = place;
  }

  boolean isEmpty() {
    return errors.isEmpty();
  }

  /**
   * A node has failed.
   *
   * @param frame its ErrorResponse as the client shall see it, with the client's line
   */
  void add(NodeConnection node, byte[] frame) {
    ErrorFields fields = ErrorFields.read(frame);
    Matcher found = place.find(fields.get(ErrorFields.CONTEXT));
    long line = found == null ? NO_LINE : Long.parseLong(found.group(1));
    errors.add(new NodeError(node, frame, line, FOUND_BY_INDEXES.contains(fields.sqlState())));
  }

  /** Tells the first of them, if there is any. Of equal ones, that is the one added first. */
  void tell(ReplyContext context) {
    errors.stream()
        .min(ORDER)
        .ifPresent(first -> context.nodeError(first.node, first.frame, 0, first.frame.length));
  }
}
