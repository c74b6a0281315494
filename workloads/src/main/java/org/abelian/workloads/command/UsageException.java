package org.abelian.workloads.command;

/** The command line does not say enough; the message tells what is missing. */
final class UsageException extends RuntimeException {
  UsageException(String message) {
    super(message);
  }
}
