package org.abelian.router.tls;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.security.interfaces.RSAKey;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;

/**
 * The one key that a side shows, with the certificate for it and those that lead to an authority.
 */
final class CertifiedKey extends X509ExtendedKeyManager {
  private static final String ALIAS = "key";

  private static final Set<PosixFilePermission> OTHERS =
      EnumSet.of(
          PosixFilePermission.GROUP_READ,
          PosixFilePermission.GROUP_WRITE,
          PosixFilePermission.GROUP_EXECUTE,
          PosixFilePermission.OTHERS_READ,
          PosixFilePermission.OTHERS_WRITE,
          PosixFilePermission.OTHERS_EXECUTE);

  private final X509Certificate[] chain;
  private final PrivateKey key;

  private CertifiedKey(List<X509Certificate> chain, PrivateKey key) {
    this.chain = chain.toArray(X509Certificate[]::new);
    this.key = key;
  }

  /**
   * Reads a certificate with its chain, and its key.
   *
   * @throws TlsException also when the key is another certificate's
   */
  static CertifiedKey read(Path certificateFile, Path keyFile, Passphrase passphrase)
      throws TlsException {
    List<X509Certificate> chain = CertificateFile.certificates("certificate file", certificateFile);
    PublicKey publicKey = chain.get(0).getPublicKey();
    PrivateKey key = PrivateKeyFile.read(keyFile, publicKey, passphrase);
    if (!fits(key, publicKey)) {
      throw new TlsException(
          "private key file \""
              + keyFile
              + "\" does not match certificate file \""
              + certificateFile
              + "\"");
    }
    return new CertifiedKey(chain, key);
  }

  /** Reads both from a PKCS#12 archive. */
  static CertifiedKey readArchive(Path file, Passphrase passphrase) throws TlsException {
    char[] password = passphrase.get();
    try (InputStream in = Files.newInputStream(file)) {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(in, password);
      for (String alias : Collections.list(store.aliases())) {
        Key key = store.getKey(alias, password);
        Certificate[] certificates = store.getCertificateChain(alias);
        if (key instanceof PrivateKey found && certificates != null) {
          return new CertifiedKey(
              Arrays.stream(certificates).map(X509Certificate.class::cast).toList(), found);
        }
      }
      throw new TlsException("key archive \"" + file + "\" has no key with a certificate");
    } catch (TlsException e) {
      throw e;
    } catch (GeneralSecurityException | IOException e) {
      throw CertificateFile.unusable("key archive", file, e);
    }
  }

  /**
   * Refuses a key that others may read, by PostgreSQL's rule: 0600 or less, or 0640 or less when
   * root owns it.
   */
  static void requirePrivate(Path keyFile) throws TlsException {
    try {
      PosixFileAttributes attributes = Files.readAttributes(keyFile, PosixFileAttributes.class);
      Set<PosixFilePermission> granted = EnumSet.copyOf(OTHERS);
      granted.retainAll(attributes.permissions());
      if (attributes.owner().getName().equals("root")) {
        granted.remove(PosixFilePermission.GROUP_READ);
      }
      if (!granted.isEmpty()) {
        throw new TlsException(
            "private key file \""
                + keyFile
                + "\" has group or world access; it must have permissions u=rw (0600) or less if"
                + " owned by the current user, or u=rw,g=r (0640) or less if owned by root");
      }
    } catch (UnsupportedOperationException notPosix) {
      // There is no such thing to check.
    } catch (TlsException e) {
      throw e;
    } catch (IOException e) {
      throw new TlsException("could not access private key file \"" + keyFile + "\"", e);
    }
  }

  private static boolean fits(PrivateKey key, PublicKey publicKey) throws TlsException {
    if (key instanceof RSAKey one && publicKey instanceof RSAKey other) {
      return one.getModulus().equals(other.getModulus());
    }
    String algorithm =
        publicKey.getAlgorithm().equals("EC") ? "SHA256withECDSA" : publicKey.getAlgorithm();
    byte[] message = new byte[32];
    new SecureRandom().nextBytes(message);
    try {
      Signature signature = Signature.getInstance(algorithm);
      signature.initSign(key);
      signature.update(message);
      byte[] signed = signature.sign();
      signature.initVerify(publicKey);
      signature.update(message);
      return signature.verify(signed);
    } catch (GeneralSecurityException e) {
      throw new TlsException("private key and certificate cannot be used together", e);
    }
  }

  /** The certificate itself. */
  X509Certificate certificate() {
    return chain[0];
  }

  private String aliasFor(String... keyTypes) {
    for (String type : keyTypes) {
      // The names of some old key exchanges are those of two algorithms, joined.
      if (type.equals(key.getAlgorithm()) || type.startsWith(key.getAlgorithm() + "_")) {
        return ALIAS;
      }
    }
    return null;
  }

  /**
   * As libpq does, whatever authorities the other side names: its refusal says more than silence.
   */
  @Override
  public String chooseEngineClientAlias(String[] types, Principal[] issuers, SSLEngine engine) {
    return aliasFor(types);
  }

  @Override
  public String chooseEngineServerAlias(String type, Principal[] issuers, SSLEngine engine) {
    return aliasFor(type);
  }

  @Override
  public String chooseClientAlias(String[] types, Principal[] issuers, Socket socket) {
    return aliasFor(types);
  }

  @Override
  public String chooseServerAlias(String type, Principal[] issuers, Socket socket) {
    return aliasFor(type);
  }

  @Override
  public String[] getClientAliases(String type, Principal[] issuers) {
    return new String[] {ALIAS};
  }

  @Override
  public String[] getServerAliases(String type, Principal[] issuers) {
    return new String[] {ALIAS};
  }

  @Override
  public X509Certificate[] getCertificateChain(String alias) {
    return chain.clone();
  }

  @Override
  public PrivateKey getPrivateKey(String alias) {
    return key;
  }
}
