package org.abelian.router.execution;

import org.abelian.router.error.AbelianException;
import org.abelian.router.protocol.ErrorFields;

/**
 * An error that the client is to be given, with all fields of an ErrorResponse. Carries no stack
 * trace.
 */
public final class ClientError extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient ErrorFields fields;

  public ClientError(ErrorFields fields) {
    super(fields.message(), null, false, false);
    this.fields = fields;
  }

  /** An error of the router that PostgreSQL has too. */
  public static ClientError of(String sqlState, String message) {
    return new ClientError(ErrorFields.of("ERROR", sqlState, message));
  }

  /** The fields of an error that another room raised. */
  public static ErrorFields fields(AbelianException error) {
    return ErrorFields.of("ERROR", error.state().code(), String.valueOf(error.getMessage()))
        .with(ErrorFields.DETAIL, error.detail())
        .with(ErrorFields.HINT, error.hint())
        .with(ErrorFields.CONTEXT, error.context());
  }

  public ErrorFields fields() {
    return fields;
  }
}
