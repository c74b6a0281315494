package org.abelian.router.transaction;

/** A node could not be asked within the bound; it may or may not have done what it was asked. */
public final class NodeUnreachableException extends Exception {
  private static final long serialVersionUID = 1L;

  private final int node;

  /** For a node's id and the reason in words. */
  public NodeUnreachableException(int node, String reason, Throwable cause) {
    super("node " + node + " cannot be reached: " + reason, cause);
    this.node = node;
  }

  /** The node's id. */
  public int node() {
    return node;
  }
}
