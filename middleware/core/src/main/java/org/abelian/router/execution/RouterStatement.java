package org.abelian.router.execution;

import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeStatement;

/**
 * A call of one of a node's functions, with a seal behind its arguments where the node wants it.
 */
public final class RouterStatement {
  private final String function;
  private final NodeStatement plain;
  private final NodeStatement sealed;

  /**
   * A call of it.
   *
   * @param function in schema abelian
   * @param arguments how many it has without the seal
   */
  public RouterStatement(String function, int arguments) {
    this.function = function;
    plain = statement(function, arguments);
    sealed = statement(function, arguments + 1);
  }

  private static NodeStatement statement(String function, int arguments) {
    return NodeStatement.of(
        IntStream.rangeClosed(1, arguments)
            .mapToObj(number -> "$" + number)
            .collect(Collectors.joining(", ", "SELECT abelian." + function + "(", ")")));
  }

  /** Appends the call with text values, without asking for an answer. */
  public void send(NodeConnection connection, String... values) {
    String seal = connection.seal(function, values);
    if (seal == null) {
      NodeCall.sendPrepared(connection, plain, values);
      return;
    }
    String[] all = Arrays.copyOf(values, values.length + 1);
    all[values.length] = seal;
    NodeCall.sendPrepared(connection, sealed, all);
  }
}
