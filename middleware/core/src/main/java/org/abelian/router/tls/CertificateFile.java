package org.abelian.router.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.cert.CRLException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Certificates and lists of revoked ones, in PEM or as a single one in DER. */
final class CertificateFile {
  private CertificateFile() {}

  /**
   * The certificates of a file, in order.
   *
   * @param what names the file's purpose in errors
   */
  static List<X509Certificate> certificates(String what, Path file) throws TlsException {
    byte[] content = content(what, file);
    try {
      List<X509Certificate> certificates = new ArrayList<>();
      for (byte[] encoded : parts(content, "CERTIFICATE", "X509 CERTIFICATE")) {
        certificates.add(
            (X509Certificate) factory().generateCertificate(new ByteArrayInputStream(encoded)));
      }
      if (certificates.isEmpty()) {
        throw new TlsException(what + " \"" + file + "\" has no certificate");
      }
      return certificates;
    } catch (CertificateException e) {
      throw unusable(what, file, e);
    }
  }

  /** The revocation lists of a file. */
  static List<X509CRL> revocations(String what, Path file) throws TlsException {
    byte[] content = content(what, file);
    try {
      List<X509CRL> lists = new ArrayList<>();
      for (byte[] encoded : parts(content, "X509 CRL")) {
        lists.add((X509CRL) factory().generateCRL(new ByteArrayInputStream(encoded)));
      }
      if (lists.isEmpty()) {
        throw new TlsException(what + " \"" + file + "\" has no revocation list");
      }
      return lists;
    } catch (CertificateException | CRLException e) {
      throw unusable(what, file, e);
    }
  }

  /** Those of a directory's files, which OpenSSL wants named by hash; here any name will do. */
  static List<X509CRL> revocationsIn(Path directory) throws TlsException {
    List<Path> files;
    try (Stream<Path> entries = Files.list(directory)) {
      files = entries.filter(Files::isRegularFile).sorted().toList();
    } catch (IOException e) {
      throw unusable("certificate revocation list directory", directory, e);
    }
    List<X509CRL> lists = new ArrayList<>();
    for (Path file : files) {
      lists.addAll(revocations("certificate revocation list file", file));
    }
    if (lists.isEmpty()) {
      throw new TlsException(
          "certificate revocation list directory \"" + directory + "\" is empty");
    }
    return lists;
  }

  static byte[] content(String what, Path file) throws TlsException {
    try {
      return Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      throw new TlsException(what + " \"" + file + "\" does not exist", e);
    } catch (IOException e) {
      throw unusable(what, file, e);
    }
  }

  private static List<byte[]> parts(byte[] content, String... labels) throws TlsException {
    List<Pem.Block> blocks = Pem.blocks(content);
    if (blocks.isEmpty()) {
      return List.of(content);
    }
    return blocks.stream()
        .filter(block -> List.of(labels).contains(block.label()))
        .map(Pem.Block::content)
        .toList();
  }

  private static CertificateFactory factory() throws CertificateException {
    return CertificateFactory.getInstance("X.509");
  }

  static TlsException unusable(String what, Path file, Exception cause) {
    return new TlsException(
        "could not load " + what + " \"" + file + "\": " + cause.getMessage(), cause);
  }
}
