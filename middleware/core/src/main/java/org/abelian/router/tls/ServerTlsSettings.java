package org.abelian.router.tls;

import java.nio.file.Path;

/**
 * TLS with clients, by the names and with the meaning of PostgreSQL's settings.
 *
 * @param certFile ssl_cert_file: the certificate, followed by those that lead to its authority
 * @param keyFile ssl_key_file
 * @param caFile ssl_ca_file: authorities of client certificates; null when clients show none
 * @param crlFile ssl_crl_file: revoked client certificates; null for none
 * @param crlDir ssl_crl_dir: the same in several files; null for none
 * @param minVersion ssl_min_protocol_version
 * @param maxVersion ssl_max_protocol_version; null for the newest
 * @param ciphers ssl_ciphers: OpenSSL's cipher list, for TLS 1.2 and older
 * @param preferServerCiphers ssl_prefer_server_ciphers: the order of that list counts, not the
 *     client's
 * @param passphraseCommand ssl_passphrase_command: prints the passphrase of the key; null for none
 */
public record ServerTlsSettings(
    Path certFile,
    Path keyFile,
    Path caFile,
    Path crlFile,
    Path crlDir,
    TlsVersion minVersion,
    TlsVersion maxVersion,
    String ciphers,
    boolean preferServerCiphers,
    String passphraseCommand) {
  /** PostgreSQL's default of ssl_ciphers. */
  public static final String DEFAULT_CIPHERS = "HIGH:MEDIUM:+3DES:!aNULL";
}
