package org.abelian.advisor;

import org.abelian.advisor.command.Commands;

/** Entry point of {@code ./abelian advise}. */
public final class Main {
  private Main() {}

  /** Runs a command and ends with its status. */
  public static void main(String[] arguments) {
    System.exit(Commands.execute(arguments));
  }
}
