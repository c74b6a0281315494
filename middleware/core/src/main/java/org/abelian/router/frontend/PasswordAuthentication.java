package org.abelian.router.frontend;

import java.nio.charset.StandardCharsets;
import org.abelian.router.execution.ClientOutput;
import org.abelian.router.protocol.BackendType;
import org.abelian.router.protocol.CString;
import org.abelian.router.protocol.ProtocolException;
import org.abelian.router.protocol.ScramSecret;
import org.abelian.router.protocol.StartupMessage;

/**
 * Asks for the password itself, which is right only where it does not leave the process. The nodes
 * check it.
 */
public final class PasswordAuthentication implements Authentication {
  private static final int CLEAR_TEXT = 3;

  private final ScramSecret known;

  /**
   * @param known a secret whose keys may have been derived already; clients may prove another
   */
  public PasswordAuthentication(ScramSecret known) {
    this.known = known;
  }

  @Override
  public Exchange begin(StartupMessage startup, ClientOutput output) {
    output.writer().begin(BackendType.AUTHENTICATION).int4(CLEAR_TEXT).end();
    return new Exchange() {
      private ScramSecret secret;

      @Override
      public boolean answer(byte[] array, int from, int to, ClientOutput out)
          throws ProtocolException {
        if (to == from || CString.end(array, from, to) != to - 1) {
          throw new ProtocolException("invalid password packet size");
        }
        ScramSecret given =
            new ScramSecret.Password(
                new String(array, from, to - from - 1, StandardCharsets.UTF_8));
        secret = given.equals(known) ? known : given;
        return true;
      }

      @Override
      public ScramSecret secret() {
        return secret;
      }
    };
  }
}
