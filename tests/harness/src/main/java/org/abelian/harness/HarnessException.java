package org.abelian.harness;

/** The test environment could not do what was asked; never a finding about the product itself. */
public final class HarnessException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public HarnessException(String message) {
    super(message);
  }

  public HarnessException(String message, Throwable cause) {
    super(message, cause);
  }
}
