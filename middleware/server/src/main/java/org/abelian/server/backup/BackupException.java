package org.abelian.server.backup;

/** Why a backup or a restore was given up, in words for its user. */
public final class BackupException extends Exception {
  private static final long serialVersionUID = 1L;

  BackupException(String message) {
    super(message);
  }

  BackupException(String message, Throwable cause) {
    super(message + ": " + cause.getMessage(), cause);
  }
}
