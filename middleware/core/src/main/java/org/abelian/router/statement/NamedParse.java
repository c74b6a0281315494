package org.abelian.router.statement;

import org.abelian.router.execution.FixedMessage;
import org.abelian.router.execution.Reply;
import org.abelian.router.execution.ReplyContext;

/**
 * Tells the client that a statement is prepared under a name. If a message before it in the group
 * has failed meanwhile, PostgreSQL skips the Parse: then the name is free again.
 */
public final class NamedParse extends Reply {
  private final ClientStatements statements;
  private final String name;
  private final ClientStatements.Prepared prepared;

  /** The name is defined already, for what comes behind it in the group. */
  public NamedParse(ClientStatements statements, String name) {
    this.statements = statements;
    this.name = name;
    prepared = statements.prepared(name);
  }

  @Override
  public boolean run(ReplyContext context) {
    if (!context.failed()) {
      return FixedMessage.PARSE_COMPLETE.run(context);
    }
    ClientStatements.Prepared now = statements.prepared(name);
    if (now != null && now.at() == prepared.at()) { // Another text may stand for it by now.
      statements.remove(name);
    }
    return true;
  }

  @Override
  public boolean runsAfterFailure() {
    return true;
  }
}
