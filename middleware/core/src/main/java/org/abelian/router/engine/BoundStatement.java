package org.abelian.router.engine;

import java.util.Arrays;
import org.abelian.router.execution.FixedMessage;
import org.abelian.router.execution.ReplyQueue;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.protocol.CString;
import org.abelian.router.statement.RoutedStatement;
import org.abelian.router.statement.SharedStatement;

/**
 * A statement with its values.
 *
 * @param statement the client's text
 * @param routed what is known about it
 * @param bind the values; a view of the client's message, which does not outlive the planning
 * @param extended true when the client has sent Bind, and is told BindComplete
 */
public record BoundStatement(
    SharedStatement statement, RoutedStatement routed, BindMessage bind, boolean extended) {
  private static final byte[] UNNAMED = {};

  /** The client's name of the portal, which nodes use as well. */
  public byte[] portal() {
    if (bind.portalLength() == 0) {
      return UNNAMED;
    }
    int from = bind.portalAt();
    int end = CString.nameEnd(from, from + bind.portalLength());
    return Arrays.copyOfRange(bind.array(), from, end);
  }

  /** The same with a copy of the values that lasts; the client has been answered. */
  public BoundStatement keeping(BindMessage copy) {
    return new BoundStatement(statement, routed, copy, false);
  }

  /** The router itself tells the client that the values are bound. */
  public void answerBind(ReplyQueue replies) {
    if (extended) {
      replies.add(FixedMessage.BIND_COMPLETE);
    }
  }
}
