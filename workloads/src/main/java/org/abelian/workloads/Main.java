package org.abelian.workloads;

import org.abelian.workloads.command.Commands;

/** Entry point of {@code ./abelian bench}. */
public final class Main {
  private Main() {}

  public static void main(String[] arguments) {
    System.exit(Commands.execute(arguments));
  }
}
