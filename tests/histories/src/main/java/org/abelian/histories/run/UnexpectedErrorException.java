package org.abelian.histories.run;

import java.sql.SQLException;

/** A statement failed in a way that no concurrent history over plain columns explains. */
public final class UnexpectedErrorException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UnexpectedErrorException(SQLException cause) {
    super(cause.getSQLState() + ": " + cause.getMessage(), cause);
  }
}
