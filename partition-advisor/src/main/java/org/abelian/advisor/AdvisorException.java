package org.abelian.advisor;

/** Something that the user can mend: a missing file, a bad option, a program that is not there. */
public final class AdvisorException extends RuntimeException {
  /**
   * @param message what is wrong and what to do about it
   */
  public AdvisorException(String message) {
    super(message);
  }

  /** With the error that made it known. */
  public AdvisorException(String message, Throwable cause) {
    super(message, cause);
  }
}
