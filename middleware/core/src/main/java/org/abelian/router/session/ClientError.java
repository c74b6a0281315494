package org.abelian.router.session;

import org.abelian.router.error.AbelianException;
import org.abelian.router.protocol.ErrorFields;

/**
 * An error that the client is to be given, with all fields of an ErrorResponse. Carries no stack
 * trace.
 */
final class ClientError extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient ErrorFields fields;

  ClientError(ErrorFields fields) {
    super(fields.message(), null, false, false);
    this.fields = fields;
  }

  /** An error of the router that PostgreSQL has too. */
  static ClientError of(String sqlState, String message) {
    return new ClientError(ErrorFields.of("ERROR", sqlState, message));
  }

  /** The fields of an error that another room raised. */
  static ErrorFields fields(AbelianException error) {
    return ErrorFields.of("ERROR", error.state().code(), String.valueOf(error.getMessage()))
        .with(ErrorFields.DETAIL, error.detail())
        .with(ErrorFields.HINT, error.hint())
        .with(ErrorFields.CONTEXT, error.context());
  }

  ErrorFields fields() {
    return fields;
  }
}
