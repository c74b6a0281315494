package org.abelian.router.protocol;

import com.ongres.stringprep.Profile;
import com.ongres.stringprep.Stringprep;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The arithmetic of SCRAM-SHA-256 (RFC 5802, RFC 7677), as PostgreSQL uses it. */
public final class Scram {
  /** The name of the mechanism. */
  public static final String MECHANISM = "SCRAM-SHA-256";

  /** The name of the mechanism with channel binding. */
  public static final String MECHANISM_PLUS = "SCRAM-SHA-256-PLUS";

  /** The length of a key. */
  public static final int KEY_LENGTH = 32;

  private static final int NONCE_LENGTH = 18;
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final byte[] FIRST_BLOCK = {0, 0, 0, 1};
  private static final Profile SASL_PREP = Stringprep.getProvider("SASLprep");

  private Scram() {}

  /** A nonce for one exchange: as many random bytes as PostgreSQL takes. */
  public static String nonce() {
    byte[] bytes = new byte[NONCE_LENGTH];
    RANDOM.nextBytes(bytes);
    return Base64.getEncoder().encodeToString(bytes);
  }

  /** SaltedPassword: PBKDF2 with HMAC-SHA-256 and one block. */
  public static byte[] saltedPassword(String password, byte[] salt, int iterations) {
    byte[] key = prepare(password).getBytes(StandardCharsets.UTF_8);
    Mac mac = mac(key.length == 0 ? new byte[] {0} : key);
    mac.update(salt);
    byte[] step = mac.doFinal(FIRST_BLOCK);
    byte[] result = step.clone();
    for (int i = 1; i < iterations; i++) {
      step = mac.doFinal(step);
      xorInto(result, step);
    }
    return result;
  }

  /** SASLprep, or the password as it is where it does not apply: as PostgreSQL does. */
  private static String prepare(String password) {
    try {
      return SASL_PREP.prepareStored(password);
    } catch (IllegalArgumentException e) {
      return password;
    }
  }

  /** ClientKey: what proves that the client knows the password. */
  public static byte[] clientKey(byte[] saltedPassword) {
    return hmac(saltedPassword, "Client Key".getBytes(StandardCharsets.US_ASCII));
  }

  /** ServerKey: what proves that the server knows the verifier. */
  public static byte[] serverKey(byte[] saltedPassword) {
    return hmac(saltedPassword, "Server Key".getBytes(StandardCharsets.US_ASCII));
  }

  /** StoredKey = H(ClientKey). */
  public static byte[] storedKey(byte[] clientKey) {
    return sha256(clientKey);
  }

  /** ClientProof = ClientKey xor HMAC(StoredKey, AuthMessage). */
  public static byte[] clientProof(byte[] clientKey, String authMessage) {
    byte[] signature = hmac(storedKey(clientKey), authMessage.getBytes(StandardCharsets.UTF_8));
    xorInto(signature, clientKey);
    return signature;
  }

  /**
   * The ClientKey that a proof was made with; null when the proof is wrong.
   *
   * @param storedKey of the verifier
   */
  public static byte[] recoverClientKey(byte[] proof, byte[] storedKey, String authMessage) {
    if (proof.length != KEY_LENGTH) {
      return null;
    }
    byte[] key = hmac(storedKey, authMessage.getBytes(StandardCharsets.UTF_8));
    xorInto(key, proof);
    return MessageDigest.isEqual(storedKey(key), storedKey) ? key : null;
  }

  /** HMAC-SHA-256. */
  public static byte[] hmac(byte[] key, byte[] message) {
    return mac(key).doFinal(message);
  }

  private static Mac mac(byte[] key) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      return mac;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JVM has HmacSHA256", e);
    }
  }

  private static byte[] sha256(byte[] message) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(message);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JVM has SHA-256", e);
    }
  }

  private static void xorInto(byte[] target, byte[] other) {
    for (int i = 0; i < target.length; i++) {
      target[i] ^= other[i];
    }
  }

  /** Compares keys in constant time. */
  public static boolean same(byte[] left, byte[] right) {
    return MessageDigest.isEqual(left, right);
  }
}
