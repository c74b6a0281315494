package org.abelian.server;

import java.util.function.BooleanSupplier;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.ClientOutput;
import org.abelian.router.frontend.Authentication;
import org.abelian.router.protocol.ProtocolException;
import org.abelian.router.protocol.ScramSecret;
import org.abelian.router.protocol.StartupMessage;

/** Lets in whom another way of authentication lets in, as long as there is a place. */
final class AdmittingAuthentication implements Authentication {
  private final Authentication inner;
  private final BooleanSupplier full;
  private final BooleanSupplier admit;

  /**
   * @param full whether there is no place, so that nobody need be asked for a password
   * @param admit takes a place; false when there is none
   */
  AdmittingAuthentication(Authentication inner, BooleanSupplier full, BooleanSupplier admit) {
    this.inner = inner;
    this.full = full;
    this.admit = admit;
  }

  @Override
  public Exchange begin(StartupMessage startup, ClientOutput output) {
    if (full.getAsBoolean()) {
      throw tooMany();
    }
    Exchange exchange = inner.begin(startup, output);
    if (exchange.isDone()) {
      takePlace();
      return exchange;
    }
    return new Exchange() {
      @Override
      public boolean answer(byte[] array, int from, int to, ClientOutput out)
          throws ProtocolException {
        if (!exchange.answer(array, from, to, out)) {
          return false;
        }
        takePlace();
        return true;
      }

      @Override
      public ScramSecret secret() {
        return exchange.secret();
      }
    };
  }

  private void takePlace() {
    if (!admit.getAsBoolean()) {
      throw tooMany();
    }
  }

  private static AbelianException tooMany() {
    return new AbelianException(
        SqlState.TOO_MANY_CONNECTIONS,
        "sorry, too many clients already",
        "Close idle connections, or raise the router's --max-clients.");
  }
}
