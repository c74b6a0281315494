package org.abelian.router.protocol;

import java.util.Base64;

/**
 * What a server stores about a password: {@code SCRAM-SHA-256$iterations:salt$StoredKey:ServerKey}.
 *
 * @param iterations of the key derivation
 * @param salt of the key derivation
 */
public record ScramVerifier(int iterations, byte[] salt, byte[] storedKey, byte[] serverKey) {
  /**
   * Reads PostgreSQL's form.
   *
   * @throws IllegalArgumentException when it is of another form (an MD5 hash, say)
   */
  public static ScramVerifier parse(String text) {
    String[] parts = text.split("[$:]");
    if (parts.length != 5 || !parts[0].equals(Scram.MECHANISM)) {
      throw new IllegalArgumentException("not a SCRAM-SHA-256 verifier");
    }
    Base64.Decoder base64 = Base64.getDecoder();
    return new ScramVerifier(
        Integer.parseInt(parts[1]),
        base64.decode(parts[2]),
        base64.decode(parts[3]),
        base64.decode(parts[4]));
  }

  /** The verifier of a password. */
  public static ScramVerifier of(String password, byte[] salt, int iterations) {
    byte[] salted = Scram.saltedPassword(password, salt, iterations);
    return new ScramVerifier(
        iterations, salt, Scram.storedKey(Scram.clientKey(salted)), Scram.serverKey(salted));
  }

  @Override
  public String toString() {
    return "ScramVerifier[iterations=" + iterations + "]";
  }
}
