package org.abelian.router.transaction.independent;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Runs the calls of a fragment inside the transaction of a node that has claimed its place. */
final class LaneExecution {
  /** Every statement that follows is a call; a node that does not know it runs none. */
  private static final String TELL_CALLS = "SELECT abelian.tell_calls(?, ?)";

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

  /** Runs those that have not failed before. */
  void run() throws SQLException {
    if (left.isEmpty()) {
      return;
    }
    try (PreparedStatement role =
            connection.prepareStatement("SELECT set_config('role', ?, true)");
        Statement statement = connection.createStatement()) {
      role.setString(1, fragment.role());
      role.execute();
      statement.execute(fragment.setUp());
      // Right before the call: the node takes the next statement for it.
      tell(statement);
      for (Fragment.Call call : left) {
        current = call;
        statement.execute(call.text());
      }
      current = null;
      statement.execute("RESET ROLE");
    }
  }

  private void tell(Statement statement) throws SQLException {
    if (!fragment.isShared()) {
      statement.execute(IndependentTransaction.tellQuery(node, fragment.participants()));
      return;
    }
    try (PreparedStatement calls = connection.prepareStatement(TELL_CALLS)) {
      calls.setInt(1, node);
      calls.setArray(2, connection.createArrayOf("int4", fragment.participants().toArray()));
      calls.execute();
    } catch (SQLException cannot) {
      throw new SQLException("the node cannot run several calls", "58000", cannot);
    }
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
