package org.abelian.server;

import java.nio.file.Path;
import java.util.Locale;
import org.abelian.router.tls.ServerTls;
import org.abelian.router.tls.ServerTlsSettings;
import org.abelian.router.tls.TlsException;
import org.abelian.router.tls.TlsVersion;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/**
 * TLS with clients. The options have the names of PostgreSQL's settings; like its server, ours
 * takes them with dashes or underscores.
 */
final class ClientTlsOptions {
  @Option(
      names = "--ssl",
      arity = "1",
      defaultValue = "off",
      paramLabel = "on|off",
      converter = OnOff.class,
      description = "whether clients may encrypt their connections (default: ${DEFAULT-VALUE})")
  private boolean ssl;

  @Option(
      names = {"--ssl-cert-file", "--ssl_cert_file"},
      paramLabel = "FILE",
      description = "the server's certificate, followed by intermediate ones")
  private Path certFile;

  @Option(
      names = {"--ssl-key-file", "--ssl_key_file"},
      paramLabel = "FILE",
      description = "the server's private key")
  private Path keyFile;

  @Option(
      names = {"--ssl-ca-file", "--ssl_ca_file"},
      paramLabel = "FILE",
      description = "authorities whose client certificates are accepted")
  private Path caFile;

  @Option(
      names = {"--ssl-crl-file", "--ssl_crl_file"},
      paramLabel = "FILE",
      description = "client certificates that are revoked")
  private Path crlFile;

  @Option(
      names = {"--ssl-crl-dir", "--ssl_crl_dir"},
      paramLabel = "DIRECTORY",
      description = "the same in several files")
  private Path crlDir;

  @Option(
      names = {"--ssl-min-protocol-version", "--ssl_min_protocol_version"},
      defaultValue = "TLSv1.2",
      paramLabel = "VERSION",
      description = "oldest version of TLS (default: ${DEFAULT-VALUE})")
  private String minVersion;

  @Option(
      names = {"--ssl-max-protocol-version", "--ssl_max_protocol_version"},
      paramLabel = "VERSION",
      description = "newest version of TLS (default: the newest there is)")
  private String maxVersion;

  @Option(
      names = {"--ssl-ciphers", "--ssl_ciphers"},
      defaultValue = ServerTlsSettings.DEFAULT_CIPHERS,
      paramLabel = "LIST",
      description = "cipher suites of TLS 1.2 and older, OpenSSL's way (default: ${DEFAULT-VALUE})")
  private String ciphers;

  @Option(
      names = {"--ssl-prefer-server-ciphers", "--ssl_prefer_server_ciphers"},
      arity = "1",
      defaultValue = "on",
      paramLabel = "on|off",
      converter = OnOff.class,
      description = "whether the order of that list counts (default: ${DEFAULT-VALUE})")
  private boolean preferServerCiphers;

  @Option(
      names = {"--ssl-passphrase-command", "--ssl_passphrase_command"},
      paramLabel = "COMMAND",
      description = "prints the passphrase of the private key; %%p in it names the key")
  private String passphraseCommand;

  /** PostgreSQL's words for true and false. */
  static final class OnOff implements ITypeConverter<Boolean> {
    @Override
    public Boolean convert(String value) {
      return switch (value.toLowerCase(Locale.ROOT)) {
        case "on", "true", "yes", "1" -> true;
        case "off", "false", "no", "0" -> false;
        default -> throw new TypeConversionException("\"" + value + "\" is neither on nor off");
      };
    }
  }

  /**
   * Reads the files.
   *
   * @return null when clients cannot encrypt
   * @throws TlsException when a file is not usable
   * @throws IllegalArgumentException when an option is not
   */
  ServerTls open() throws TlsException {
    if (!ssl) {
      return null;
    }
    if (certFile == null || keyFile == null) {
      throw new IllegalArgumentException("--ssl=on needs --ssl-cert-file and --ssl-key-file");
    }
    return ServerTls.open(
        new ServerTlsSettings(
            certFile,
            keyFile,
            caFile,
            crlFile,
            crlDir,
            TlsVersion.parse("ssl_min_protocol_version", minVersion),
            maxVersion == null ? null : TlsVersion.parse("ssl_max_protocol_version", maxVersion),
            ciphers,
            preferServerCiphers,
            passphraseCommand));
  }
}
