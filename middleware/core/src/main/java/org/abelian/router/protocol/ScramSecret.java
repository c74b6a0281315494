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

  /**
   * A password: keys are derived for any salt. Those that were asked for last are kept, as nodes
   * have the same verifiers and deriving takes milliseconds.
   */
  final class Password implements ScramSecret {
    /** More than any server asks for by default; who asks for them lets nobody else wait. */
    private static final int MOST_SHARED_ITERATIONS = 100_000;

    private record Kept(byte[] salt, int iterations, Keys keys) {}

    private final String password;
    private volatile Kept kept = new Kept(new byte[0], 0, null);

    /** Nothing is derived yet. */
    public Password(String password) {
      this.password = password;
    }

    /** In clear. */
    public String password() {
      return password;
    }

    /** Connections that are made at once derive once. */
    @Override
    public Keys keys(byte[] salt, int iterations) {
      if (iterations > MOST_SHARED_ITERATIONS) {
        return derived(salt, iterations);
      }
      synchronized (this) {
        return derived(salt, iterations);
      }
    }

    private Keys derived(byte[] salt, int iterations) {
      Kept known = kept;
      if (known.iterations != iterations || !Arrays.equals(known.salt, salt)) {
        byte[] salted = Scram.saltedPassword(password, salt, iterations);
        known =
            new Kept(
                salt.clone(),
                iterations,
                new Keys(Scram.clientKey(salted), Scram.serverKey(salted)));
        kept = known;
      }
      return known.keys;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Password that && password.equals(that.password);
    }

    @Override
    public int hashCode() {
      return password.hashCode();
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
