package org.abelian.router.protocol;

import java.util.Arrays;

/** What a client can prove itself with: the password, or the keys that were derived from it. */
public sealed interface ScramSecret {
  /** The keys for the salt and iteration count that the server names. */
  Keys keys(byte[] salt, int iterations);

  /** The two keys of an exchange. */
  record Keys(byte[] clientKey, byte[] serverKey) {
    @Override
    public String toString() {
      return "Keys[]";
    }
  }

  /** A password: keys are derived for any salt. */
  record Password(String password) implements ScramSecret {
    @Override
    public Keys keys(byte[] salt, int iterations) {
      byte[] salted = Scram.saltedPassword(password, salt, iterations);
      return new Keys(Scram.clientKey(salted), Scram.serverKey(salted));
    }

    @Override
    public String toString() {
      return "Password[]";
    }
  }

  /** Keys recovered from a client's proof: they fit only servers that hold the same verifier. */
  record Derived(byte[] clientKey, byte[] serverKey) implements ScramSecret {
    @Override
    public Keys keys(byte[] salt, int iterations) {
      return new Keys(clientKey, serverKey);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Derived that && Scram.same(clientKey, that.clientKey);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(clientKey);
    }

    @Override
    public String toString() {
      return "Derived[]";
    }
  }
}
