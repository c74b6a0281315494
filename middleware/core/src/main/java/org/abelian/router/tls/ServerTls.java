package org.abelian.router.tls;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509CRL;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;

/**
 * The server's side of TLS. Its files are looked at for every connection, so that new certificates
 * and revocation lists hold from the next one on. Safe for several threads.
 */
public final class ServerTls {
  /** The name by which ALPN knows PostgreSQL's protocol. */
  public static final String APPLICATION_PROTOCOL = "postgresql";

  private static final int PASSPHRASE_SECONDS = 60;
  private static final int LARGEST_PASSPHRASE = 1024;

  /**
   * A connection that is about to be encrypted.
   *
   * @param engine does it
   * @param endPoint the channel binding tls-server-end-point; null when the certificate has none
   * @param verifiesClients true when clients may show a certificate, which is then verified
   */
  public record Accepted(TlsEngine engine, byte[] endPoint, boolean verifiesClients) {}

  private record Context(SSLContext ssl, SSLParameters parameters, byte[] endPoint) {}

  private final ServerTlsSettings settings;
  private final WatchedFiles<Context> context;

  private ServerTls(ServerTlsSettings settings) {
    this.settings = settings;
    List<Path> files =
        Stream.of(
                settings.certFile(),
                settings.keyFile(),
                settings.caFile(),
                settings.crlFile(),
                settings.crlDir())
            .filter(Objects::nonNull)
            .toList();
    context = new WatchedFiles<>("TLS certificates for clients", files, this::load);
  }

  /**
   * Reads the files.
   *
   * @throws TlsException when one is missing or not usable
   */
  public static ServerTls open(ServerTlsSettings settings) throws TlsException {
    ServerTls tls = new ServerTls(settings);
    tls.reload();
    return tls;
  }

  /** Looks whether files have changed; what cannot be used is logged and not taken. */
  public void reload() throws TlsException {
    context.get();
  }

  /** For one client's connection. */
  public Accepted accept() throws TlsException {
    Context current = context.get();
    SSLEngine engine = current.ssl().createSSLEngine();
    engine.setUseClientMode(false);
    engine.setSSLParameters(current.parameters());
    return new Accepted(new TlsEngine(engine), current.endPoint(), settings.caFile() != null);
  }

  private Context load() throws TlsException {
    CertifiedKey.requirePrivate(settings.keyFile());
    CertifiedKey key = CertifiedKey.read(settings.certFile(), settings.keyFile(), this::passphrase);
    try {
      SSLContext ssl = SSLContext.getInstance("TLS");
      ssl.init(new KeyManager[] {key}, trust(), null);
      return new Context(ssl, parameters(ssl), ServerEndPoint.of(key.certificate()));
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new TlsException("could not set up TLS: " + e.getMessage(), e);
    }
  }

  private SSLParameters parameters(SSLContext ssl) {
    SSLParameters parameters = ssl.getDefaultSSLParameters();
    parameters.setProtocols(TlsVersion.between(settings.minVersion(), settings.maxVersion()));
    parameters.setCipherSuites(
        CipherList.select(settings.ciphers(), ssl.getSupportedSSLParameters().getCipherSuites()));
    parameters.setUseCipherSuitesOrder(settings.preferServerCiphers());
    parameters.setWantClientAuth(settings.caFile() != null);
    parameters.setApplicationProtocols(new String[] {APPLICATION_PROTOCOL});
    return parameters;
  }

  private TrustManager[] trust() throws TlsException {
    if (settings.caFile() == null) {
      return Trust.anyone(); // Nobody is asked for a certificate.
    }
    List<X509CRL> revocations = new ArrayList<>();
    if (settings.crlFile() != null) {
      revocations.addAll(
          CertificateFile.revocations("certificate revocation list file", settings.crlFile()));
    }
    if (settings.crlDir() != null) {
      revocations.addAll(CertificateFile.revocationsIn(settings.crlDir()));
    }
    return Trust.authorities(
        CertificateFile.certificates("root certificate file", settings.caFile()), revocations);
  }

  /** What ssl_passphrase_command prints, without the end of its line. */
  private char[] passphrase() throws TlsException {
    String command = settings.passphraseCommand();
    if (command == null) {
      return null;
    }
    String prompt = "passphrase of " + settings.keyFile();
    try {
      Process process =
          new ProcessBuilder("/bin/sh", "-c", command.replace("%p", prompt))
              .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      if (!process.waitFor(PASSPHRASE_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new TlsException("ssl_passphrase_command did not end");
      }
      if (process.exitValue() != 0) {
        throw new TlsException("ssl_passphrase_command ended with " + process.exitValue());
      }
      byte[] output = process.getInputStream().readNBytes(LARGEST_PASSPHRASE);
      return new String(output, StandardCharsets.UTF_8).replaceFirst("\\R$", "").toCharArray();
    } catch (TlsException e) {
      throw e;
    } catch (IOException e) {
      throw new TlsException("could not run ssl_passphrase_command: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TlsException("interrupted while ssl_passphrase_command ran", e);
    }
  }
}
