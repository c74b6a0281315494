package org.abelian.router.pool;

import java.io.IOException;
import org.abelian.router.protocol.ErrorFields;

/** A node answered the attempt to open a session with an error, such as 28P01 or 53300. */
public final class NodeRefusedException extends IOException {
  private static final long serialVersionUID = 1L;

  private final transient ErrorFields error;

  /** With the node's own error. */
  public NodeRefusedException(ErrorFields error) {
    super(error.message());
    this.error = error;
  }

  /** The node's own error. */
  public ErrorFields error() {
    return error;
  }
}
