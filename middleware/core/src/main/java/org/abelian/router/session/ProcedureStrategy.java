package org.abelian.router.session;

import java.io.IOException;
import org.abelian.router.protocol.BindMessage;

/**
 * A way to run a call on its participants so that it takes effect on all of them or on none: one
 * for each commit class.
 */
interface ProcedureStrategy {
  /**
   * Binds the call.
   *
   * @param answer true when the client is to be told BindComplete
   * @return the portal, or null when earlier answers must come first
   */
  Portal bind(ProcedureCall call, BindMessage bind, boolean answer) throws IOException;

  /**
   * Runs what {@backend #bind} gave.
   *
   * @param name the portal's name on the nodes
   */
  Progress execute(Portal.OnNodes portal, byte[] name) throws IOException;
}
