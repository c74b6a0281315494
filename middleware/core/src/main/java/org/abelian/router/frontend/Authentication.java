package org.abelian.router.frontend;

import org.abelian.router.execution.ClientOutput;
import org.abelian.router.protocol.ProtocolException;
import org.abelian.router.protocol.ScramSecret;
import org.abelian.router.protocol.StartupMessage;

/** How a client proves who it is, and what the nodes are then given as proof. */
public interface Authentication {
  /** Asks the client for its first answer. */
  Exchange begin(StartupMessage startup, ClientOutput output);

  /** One client's proof. */
  interface Exchange {
    /**
     * Looks at a message of the client.
     *
     * @return false when another one must follow
     * @throws RuntimeException an error for the client, when the proof is wrong
     */
    boolean answer(byte[] array, int from, int to, ClientOutput output) throws ProtocolException;

    /** What the nodes are given, after answer said true. */
    ScramSecret secret();
  }
}
