package org.abelian.router.frontend;

import org.abelian.router.execution.ClientOutput;
import org.abelian.router.protocol.ProtocolException;
import org.abelian.router.protocol.ScramSecret;
import org.abelian.router.protocol.StartupMessage;

/** How a client proves who it is, and what the nodes are then given as proof. */
public interface Authentication {
  /** What nodes are given when a client has shown who it is in another way than by a secret. */
  Exchange PROVEN =
      new Exchange() {
        @Override
        public boolean isDone() {
          return true;
        }

        @Override
        public boolean answer(byte[] array, int from, int to, ClientOutput output)
            throws ProtocolException {
          throw new ProtocolException("nothing was asked for");
        }

        @Override
        public ScramSecret secret() {
          return null;
        }
      };

  /** Asks for nothing: nodes decide, by the router's certificate for instance. */
  Authentication NONE = (startup, output) -> PROVEN;

  /** Asks the client for its first answer. */
  Exchange begin(StartupMessage startup, ClientOutput output);

  /** One client's proof. */
  interface Exchange {
    /** True when the client has shown who it is and is asked for nothing. */
    default boolean isDone() {
      return false;
    }

    /**
     * Looks at a message of the client.
     *
     * @return false when another one must follow
     * @throws RuntimeException an error for the client, when the proof is wrong
     */
    boolean answer(byte[] array, int from, int to, ClientOutput output) throws ProtocolException;

    /** What the nodes are given, after the client has proved itself; null for nothing. */
    ScramSecret secret();
  }
}
