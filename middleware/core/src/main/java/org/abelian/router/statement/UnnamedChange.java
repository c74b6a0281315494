package org.abelian.router.statement;

import org.abelian.router.execution.FixedMessage;
import org.abelian.router.execution.Reply;
import org.abelian.router.execution.ReplyContext;

/**
 * Tells the client that its statement without a name is another one, or none. If a message before
 * it in the group has failed meanwhile, PostgreSQL skips that: then it stays what it was.
 */
public final class UnnamedChange extends Reply {
  private final ClientStatements statements;
  private final ClientStatements.Unnamed unnamed;
  private final FixedMessage told;

  private UnnamedChange(ClientStatements statements, FixedMessage told) {
    this.statements = statements;
    this.told = told;
    unnamed = statements.unnamed();
  }

  /** It is parsed already, for what comes behind it in the group. */
  public static UnnamedChange parsed(ClientStatements statements) {
    return new UnnamedChange(statements, FixedMessage.PARSE_COMPLETE);
  }

  /** It is closed already, as above. */
  public static UnnamedChange closed(ClientStatements statements) {
    return new UnnamedChange(statements, FixedMessage.CLOSE_COMPLETE);
  }

  /** A Parse that fails has closed it; the client is told of the error only. */
  public static UnnamedChange lost(ClientStatements statements) {
    return new UnnamedChange(statements, null);
  }

  @Override
  public boolean run(ReplyContext context) {
    statements.answered(unnamed);
    return told == null || told.run(context);
  }
}
