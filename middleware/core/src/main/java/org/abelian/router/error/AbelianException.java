package org.abelian.router.error;

/**
 * An error that the router raises, with the fields of PostgreSQL's ErrorResponse that it can fill.
 * Immutable. It carries no stack trace unless it reports a fault of the router, since refusals lie
 * on the path of ordinary statements.
 */
public final class AbelianException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final SqlState state;
  private final String detail;
  private final String hint;
  private final String context;

  /**
   * @param detail null when there is none
   * @param hint what the user can do about it; null when there is none
   */
  public AbelianException(
      SqlState state, String message, String detail, String hint, Throwable cause) {
    this(state, message, detail, hint, null, cause);
  }

  private AbelianException(
      SqlState state, String message, String detail, String hint, String context, Throwable cause) {
    super(message, cause, false, cause != null || state == SqlState.INTERNAL_ERROR);
    this.state = state;
    this.detail = detail;
    this.hint = hint;
    this.context = context;
  }

  /** An error with a hint and nothing else. */
  public AbelianException(SqlState state, String message, String hint) {
    this(state, message, null, hint, null);
  }

  /** What the router cannot do correctly: 0A000 with a hint that says what to change. */
  public static AbelianException unsupported(String message, String hint) {
    return new AbelianException(SqlState.FEATURE_NOT_SUPPORTED, message, hint);
  }

  /** A fault of the router. */
  public static AbelianException internal(String message, Throwable cause) {
    return new AbelianException(SqlState.INTERNAL_ERROR, message, null, null, cause);
  }

  /** The same error with the place where it was found. */
  public AbelianException inContext(String place) {
    return new AbelianException(state, getMessage(), detail, hint, place, getCause());
  }

  /** The SQLSTATE to report. */
  public SqlState state() {
    return state;
  }

  /** The DETAIL field, or null. */
  public String detail() {
    return detail;
  }

  /** The HINT field, or null. */
  public String hint() {
    return hint;
  }

  /** The CONTEXT field, or null. */
  public String context() {
    return context;
  }
}
