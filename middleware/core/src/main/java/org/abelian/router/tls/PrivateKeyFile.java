package org.abelian.router.tls;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * A private key as OpenSSL writes it: PEM of PKCS#8, PKCS#1 (RSA) or SEC 1 (EC), or PKCS#8 in DER;
 * each plain or encrypted. The JDK reads PKCS#8 alone, so the older forms are wrapped in it.
 */
final class PrivateKeyFile {
  private static final String PBES2 = "1.2.840.113549.1.5.13";
  private static final String PBES2_NAME = "PBES2";

  /** Name of OpenSSL's cipher, to the JDK's name of it and the length of its key in bytes. */
  private static final Map<String, OldCipher> OLD_CIPHERS =
      Map.of(
          "AES-128-CBC", new OldCipher("AES/CBC/PKCS5Padding", "AES", 16),
          "AES-192-CBC", new OldCipher("AES/CBC/PKCS5Padding", "AES", 24),
          "AES-256-CBC", new OldCipher("AES/CBC/PKCS5Padding", "AES", 32),
          "DES-EDE3-CBC", new OldCipher("DESede/CBC/PKCS5Padding", "DESede", 24));

  private record OldCipher(String transformation, String algorithm, int keyLength) {}

  private final Path file;
  private final PublicKey publicKey;
  private final Passphrase passphrase;

  private PrivateKeyFile(Path file, PublicKey publicKey, Passphrase passphrase) {
    this.file = file;
    this.publicKey = publicKey;
    this.passphrase = passphrase;
  }

  /**
   * Reads the key that belongs to a public one.
   *
   * @param passphrase asked only when the key is encrypted
   */
  static PrivateKey read(Path file, PublicKey publicKey, Passphrase passphrase)
      throws TlsException {
    byte[] content = CertificateFile.content("private key file", file);
    try {
      return new PrivateKeyFile(file, publicKey, passphrase).parse(content);
    } catch (TlsException e) {
      throw e;
    } catch (GeneralSecurityException | IOException e) {
      throw new TlsException(
          "could not load private key file \"" + file + "\": " + e.getMessage(), e);
    }
  }

  private PrivateKey parse(byte[] content) throws GeneralSecurityException, IOException {
    List<Pem.Block> blocks = Pem.blocks(content);
    if (blocks.isEmpty()) {
      return fromDer(content);
    }
    for (Pem.Block block : blocks) {
      switch (block.label()) {
        case "PRIVATE KEY" -> {
          return key(block.content());
        }
        case "ENCRYPTED PRIVATE KEY" -> {
          return decrypted(new EncryptedPrivateKeyInfo(block.content()));
        }
        case "RSA PRIVATE KEY", "EC PRIVATE KEY" -> {
          return key(Der.privateKeyInfo(publicKey, oldContent(block)));
        }
        default -> {
          // EC PARAMETERS, or certificates in the same file.
        }
      }
    }
    throw new TlsException("private key file \"" + file + "\" has no private key");
  }

  private PrivateKey fromDer(byte[] content) throws GeneralSecurityException, IOException {
    try {
      return key(content);
    } catch (GeneralSecurityException notPlain) {
      EncryptedPrivateKeyInfo encrypted;
      try {
        encrypted = new EncryptedPrivateKeyInfo(content);
      } catch (IOException notEncrypted) {
        throw new TlsException(
            "could not load private key file \"" + file + "\": it is neither PEM nor PKCS#8",
            notPlain);
      }
      return decrypted(encrypted);
    }
  }

  private PrivateKey key(byte[] pkcs8) throws GeneralSecurityException {
    return KeyFactory.getInstance(publicKey.getAlgorithm())
        .generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
  }

  private PrivateKey decrypted(EncryptedPrivateKeyInfo encrypted)
      throws GeneralSecurityException, TlsException {
    String algorithm = encrypted.getAlgName();
    if (algorithm.equals(PBES2) || algorithm.equals(PBES2_NAME)) {
      // Only the parameters know which of PBES2's ciphers it is.
      algorithm = encrypted.getAlgParameters().toString();
    }
    char[] password = passphrase();
    try {
      PBEKeySpec spec = new PBEKeySpec(password);
      Cipher cipher = Cipher.getInstance(algorithm);
      cipher.init(
          Cipher.DECRYPT_MODE,
          SecretKeyFactory.getInstance(algorithm).generateSecret(spec),
          encrypted.getAlgParameters());
      spec.clearPassword();
      return key(encrypted.getKeySpec(cipher).getEncoded());
    } catch (GeneralSecurityException e) {
      throw notDecrypted(e);
    } finally {
      Arrays.fill(password, '\0');
    }
  }

  /** The key itself of a block that may be encrypted in OpenSSL's own older way. */
  private byte[] oldContent(Pem.Block block) throws GeneralSecurityException, TlsException {
    String info = block.headers().get("DEK-Info");
    if (info == null) {
      return block.content();
    }
    String[] parts = info.split(",");
    OldCipher old = OLD_CIPHERS.get(parts[0].strip());
    if (old == null || parts.length != 2) {
      throw new TlsException(
          "private key file \"" + file + "\" is encrypted by " + info + ", which is not supported");
    }
    byte[] vector = HexFormat.of().parseHex(parts[1].strip());
    char[] password = passphrase();
    try {
      Cipher cipher = Cipher.getInstance(old.transformation());
      byte[] key = oldKey(password, Arrays.copyOf(vector, 8), old.keyLength());
      cipher.init(
          Cipher.DECRYPT_MODE,
          new SecretKeySpec(key, old.algorithm()),
          new IvParameterSpec(vector));
      return cipher.doFinal(block.content());
    } catch (GeneralSecurityException e) {
      throw notDecrypted(e);
    } finally {
      Arrays.fill(password, '\0');
    }
  }

  /** OpenSSL's EVP_BytesToKey, with MD5 and one round. */
  private static byte[] oldKey(char[] password, byte[] salt, int length)
      throws GeneralSecurityException {
    MessageDigest digest = MessageDigest.getInstance("MD5");
    byte[] bytes = new String(password).getBytes(StandardCharsets.UTF_8);
    byte[] key = new byte[length];
    byte[] previous = {};
    for (int at = 0; at < length; at += previous.length) {
      digest.update(previous);
      digest.update(bytes);
      digest.update(salt);
      previous = digest.digest();
      System.arraycopy(previous, 0, key, at, Math.min(previous.length, length - at));
    }
    return key;
  }

  private char[] passphrase() throws TlsException {
    char[] password = passphrase.get();
    if (password == null) {
      throw new TlsException(
          "private key file \"" + file + "\" is encrypted, and no passphrase was given");
    }
    return password;
  }

  private TlsException notDecrypted(GeneralSecurityException cause) {
    return new TlsException(
        "could not decrypt private key file \"" + file + "\": wrong passphrase, or " + cause,
        cause);
  }
}
