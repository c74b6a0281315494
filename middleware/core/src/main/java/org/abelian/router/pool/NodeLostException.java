package org.abelian.router.pool;

import java.io.IOException;

/** The connection to a node broke, or the node did not answer in time; the connection is closed. */
public final class NodeLostException extends IOException {
  private static final long serialVersionUID = 1L;

  private final NodeAddress address;

  /** With what the system said. */
  public NodeLostException(NodeAddress address, IOException cause) {
    super("connection to node " + address + " lost: " + cause.getMessage(), cause);
    this.address = address;
  }

  private NodeLostException(String message, NodeAddress address, IOException cause) {
    super(message, cause);
    this.address = address;
  }

  /** No connection was made, since it could not be encrypted as it must be. */
  static NodeLostException withoutTls(NodeAddress address, IOException cause) {
    return new NodeLostException(
        "connection to node " + address + " failed: SSL error: " + cause.getMessage(),
        address,
        cause);
  }

  /** The node. */
  public NodeAddress address() {
    return address;
  }
}
