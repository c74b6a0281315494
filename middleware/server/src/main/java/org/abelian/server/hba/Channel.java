package org.abelian.server.hba;

import java.net.InetAddress;
import java.security.cert.X509Certificate;

/**
 * What is known about a client's connection before the client has said anything.
 *
 * @param client its address
 * @param encrypted false when it is plain
 * @param endPoint the channel binding tls-server-end-point; null for none
 * @param verifiesClients true when clients could show a certificate
 * @param certificate that the client has shown, issued by a trusted authority; null for none
 */
public record Channel(
    InetAddress client,
    boolean encrypted,
    byte[] endPoint,
    boolean verifiesClients,
    X509Certificate certificate) {
  /** A connection that is not encrypted. */
  public static Channel plain(InetAddress client) {
    return new Channel(client, false, null, false, null);
  }
}
