package org.abelian.router.engine;

import java.nio.charset.StandardCharsets;
import org.abelian.router.backend.Backend;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.BindMessage;

/** What a result will look like, by a node that binds the statement and does not run it. */
public final class PortalDescription {
  private static final byte[] NAME = "abelian_described".getBytes(StandardCharsets.US_ASCII);

  private PortalDescription() {}

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
