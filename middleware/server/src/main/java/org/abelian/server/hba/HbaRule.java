package org.abelian.server.hba;

import java.net.InetAddress;
import java.util.List;

/**
 * A line of pg_hba.conf.
 *
 * @param line its number
 * @param connection which connections it is about
 * @param databases names, or the keywords all and sameuser
 * @param users names, or the keyword all
 * @param addresses of clients
 * @param method what clients must do
 * @param clientCertificate what they must show beside
 * @param map the map of pg_ident.conf that tells roles from common names; null for equal names
 */
record HbaRule(
    int line,
    Connection connection,
    List<Words.Word> databases,
    List<Words.Word> users,
    AddressRange addresses,
    Method method,
    ClientCertificate clientCertificate,
    String map) {
  /** The first field. */
  enum Connection {
    HOST,
    HOSTSSL,
    HOSTNOSSL
  }

  /** The methods that the server has. */
  enum Method {
    SCRAM_SHA_256,
    CERT,
    REJECT
  }

  /** The option clientcert. */
  enum ClientCertificate {
    /** None is asked for. */
    NO,
    /** One that a trusted authority has issued. */
    VERIFY_CA,
    /** The same, and its common name must be the role's, or mapped to it. */
    VERIFY_FULL
  }

  /** True when the rule is about such a connection. */
  boolean matches(boolean encrypted, InetAddress client, String database, String user) {
    boolean kind =
        switch (connection) {
          case HOST -> true;
          case HOSTSSL -> encrypted;
          case HOSTNOSSL -> !encrypted;
        };
    return kind
        && addresses.contains(client)
        && databases.stream().anyMatch(word -> isDatabase(word, database, user))
        && users.stream().anyMatch(word -> word.is("all") || word.text().equals(user));
  }

  private static boolean isDatabase(Words.Word word, String database, String user) {
    if (word.is("all")) {
      return true;
    }
    return word.is("sameuser") ? database.equals(user) : word.text().equals(database);
  }
}
