package org.abelian.router.engine;

import java.io.IOException;
import org.abelian.router.execution.FixedMessage;
import org.abelian.router.execution.ReplyQueue;
import org.abelian.router.session.Progress;

/** What the session runs itself: commands about transactions, settings, prepared statements. */
public final class CommandExecution extends Execution {
  /** A command. */
  @FunctionalInterface
  public interface Command {
    /** Runs it. */
    Progress run() throws IOException;
  }

  private final ReplyQueue replies;
  private final Command command;

  /** It has no result but its tag. */
  public CommandExecution(ReplyQueue replies, Command command) {
    this.replies = replies;
    this.command = command;
  }

  /** An operation that has been run, in a batch with those of other sessions. */
  public static CommandExecution done(ReplyQueue replies, FixedMessage tag) {
    return new CommandExecution(
        replies,
        () -> {
          replies.add(tag);
          return Progress.NEXT;
        });
  }

  @Override
  public void describe(Description wanted) {
    describeNothing(replies, wanted);
  }

  @Override
  public Progress execute(int limit) throws IOException {
    return command.run();
  }
}
