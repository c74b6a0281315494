package org.abelian.router.transaction.independent;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.abelian.router.transaction.NodeQueries;

/** Runs the calls of a fragment inside the transaction of a node that has claimed its place. */
final class LaneExecution {
  /** Runs a call in its role, which it cannot leave. */
  private static final String RUN_CALL = "SELECT abelian.run_call(?::name, ?, ?, ?, ?)";

  /** Whether the node has that function. */
  static final String IS_UPDATED =
      "to_regprocedure('abelian.run_call(name, text, integer, integer[], text)') IS NOT NULL";

  private final Connection connection;
  private final int node;
  private final Fragment fragment;
  private final List<Fragment.Call> left = new ArrayList<>();

  /** The call that runs; null before the first, and after the last. */
  private Fragment.Call current;

  LaneExecution(Connection connection, int node, Fragment fragment) {
    this.connection = connection;
    this.node = node;
    this.fragment = fragment;
    CallFailures failed = CallFailures.of(fragment.failure());
    for (Fragment.Call call : fragment.calls()) {
      if (failed.error(call.number()) == null) {
        left.add(call);
      }
    }
  }

  /**
   * Refuses a node that would run calls in a role which they can leave.
   *
   * @throws SQLException of a class that passes: such a node is to be updated
   */
  void requireUpdated() throws SQLException {
    if (!NodeQueries.one(connection, "SELECT " + IS_UPDATED, row -> row.getBoolean(1))) {
      throw new SQLException("its extension has not been updated to 0.6.0", "58000");
    }
  }

  /** Runs those that have not failed before. */
  void run() throws SQLException {
    for (Fragment.Call call : left) {
      current = call;
      NodeQueries.run(
          connection,
          RUN_CALL,
          fragment.role(),
          fragment.setUp(),
          node,
          NodeQueries.array("int4", fragment.participants()),
          call.text());
    }
    current = null;
  }

  /** What the record is to say, when what came last is an error: of all calls if not of one. */
  String failure(String error) {
    if (current != null) {
      return CallFailures.with(fragment, current, error);
    }
    Fragment failed = fragment;
    for (Fragment.Call call : left) {
      failed = failed.failed(CallFailures.with(failed, call, error));
    }
    return failed.failure();
  }
}
