package org.abelian.router.engine;

import java.nio.charset.StandardCharsets;
import org.abelian.router.backend.Backend;
import org.abelian.router.execution.FixedMessage;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.protocol.FrontendType;

/** What a result will look like, by a node that binds the statement and does not run it. */
public final class PortalDescription {
  private static final byte[] NAME = "abelian_described".getBytes(StandardCharsets.US_ASCII);

  private PortalDescription() {}

  /**
   * Tells the client of the columns of a statement whose parameters have no values yet.
   *
   * @param backend any node; it need not join the transaction
   */
  public static void tellOfStatement(
      EngineContext context, Backend backend, NodeStatement statement, boolean returnsRows) {
    context.backends().connect(backend);
    context.backends().touch(backend);
    byte[] name = context.backends().prepare(backend, statement, true, context.replies());
    backend.connection.writer().begin(FrontendType.DESCRIBE).int1('S').string(name).end();
    context.replies().add(NodeReply.describeRows(backend.connection));
    if (!returnsRows) {
      context.replies().add(FixedMessage.NO_DATA);
    }
  }

  /**
   * Tells the client.
   *
   * @param backend any node; it need not join the transaction
   * @param values of the statement, and the formats of its columns
   */
  public static void tell(
      EngineContext context,
      Backend backend,
      NodeStatement statement,
      BindMessage values,
      Execution.Description wanted) {
    context.backends().connect(backend);
    context.backends().touch(backend);
    NodePortal portal = new NodePortal(context, backend, NAME);
    portal.bind(statement, true, values);
    portal.describe(wanted);
    portal.close();
  }
}
