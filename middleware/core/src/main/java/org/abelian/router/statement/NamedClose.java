package org.abelian.router.statement;

import org.abelian.router.execution.FixedMessage;
import org.abelian.router.execution.Reply;
import org.abelian.router.execution.ReplyContext;

/**
 * Tells the client that the name of a statement is free. If a message before it in the group has
 * failed meanwhile, PostgreSQL skips the Close: then the statement has its name again.
 */
public final class NamedClose extends Reply {
  private final ClientStatements statements;
  private final String name;
  private final ClientStatements.Prepared taken;

  /** The name is free already, for what comes behind it in the group. */
  public NamedClose(ClientStatements statements, String name) {
    this.statements = statements;
    this.name = name;
    taken = statements.take(name);
  }

  @Override
  public boolean run(ReplyContext context) {
    if (!context.failed()) {
      statements.release(taken);
      return FixedMessage.CLOSE_COMPLETE.run(context);
    }
    if (taken != null) {
      statements.restore(name, taken);
    }
    return true;
  }

  @Override
  public boolean runsAfterFailure() {
    return true;
  }
}
