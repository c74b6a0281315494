package org.abelian.cluster.wire;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/** The client's side of SCRAM-SHA-256 (RFC 5802, RFC 7677). */
final class Scram {
  private static final int KEY_BITS = 256;

  private final String password;
  private final Binding binding;
  private final String clientFirst;
  private byte[] serverSignature;

  Scram(String password, Binding binding, String nonce) {
    this.password = password;
    this.binding = binding;
    this.clientFirst = "n=,r=" + nonce;
  }

  String first() {
    return binding.header() + clientFirst;
  }

  String last(String serverFirst) throws GeneralSecurityException {
    String[] parts = serverFirst.split(",");
    byte[] salt = Base64.getDecoder().decode(parts[1].substring(2));
    int iterations = Integer.parseInt(parts[2].substring(2));
    byte[] salted =
        SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")
            .generateSecret(new PBEKeySpec(password.toCharArray(), salt, iterations, KEY_BITS))
            .getEncoded();
    String withoutProof = "c=" + binding.attribute() + "," + parts[0];
    String signed = clientFirst + "," + serverFirst + "," + withoutProof;
    byte[] clientKey = hmac(salted, "Client Key");
    byte[] storedKey = MessageDigest.getInstance("SHA-256").digest(clientKey);
    byte[] proof = hmac(storedKey, signed);
    for (int i = 0; i < proof.length; i++) {
      proof[i] ^= clientKey[i];
    }
    serverSignature = hmac(hmac(salted, "Server Key"), signed);
    return withoutProof + ",p=" + Base64.getEncoder().encodeToString(proof);
  }

  /** Whether the server has shown that it knows the password's verifier. */
  boolean accepts(String serverLast) {
    return serverLast.equals("v=" + Base64.getEncoder().encodeToString(serverSignature));
  }

  private static byte[] hmac(byte[] key, String text) throws GeneralSecurityException {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
  }
}
