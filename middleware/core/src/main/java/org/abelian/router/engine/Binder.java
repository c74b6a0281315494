package org.abelian.router.engine;

import java.io.IOException;
import org.abelian.router.routing.Route;

/** Binds a statement on the nodes of its route, for executions that consist of others. */
@FunctionalInterface
public interface Binder {
  /** Null when nodes have failed, and the client was told. */
  Execution bind(BoundStatement bound, Route route) throws IOException;
}
