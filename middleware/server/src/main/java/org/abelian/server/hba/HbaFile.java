package org.abelian.server.hba;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.abelian.server.hba.HbaRule.ClientCertificate;
import org.abelian.server.hba.HbaRule.Connection;
import org.abelian.server.hba.HbaRule.Method;

/** Reads pg_hba.conf. What the server cannot do is an error, never a rule that is left out. */
final class HbaFile {
  private static final Set<String> UNSUPPORTED_METHODS =
      Set.of(
          "trust",
          "md5",
          "password",
          "gss",
          "sspi",
          "ident",
          "peer",
          "ldap",
          "radius",
          "pam",
          "bsd",
          "oauth");

  private final Words.Line line;
  private ClientCertificate clientCertificate = ClientCertificate.NO;
  private String map;

  private HbaFile(Words.Line line) {
    this.line = line;
  }

  /** The rules of a file, in order. */
  static List<HbaRule> parse(String text) throws ConfigurationException {
    List<HbaRule> rules = new ArrayList<>();
    for (Words.Line line : Words.lines(text)) {
      rules.add(new HbaFile(line).rule());
    }
    if (rules.isEmpty()) {
      throw new ConfigurationException(1, "the file has no rule, so nobody could connect");
    }
    return rules;
  }

  private HbaRule rule() throws ConfigurationException {
    Connection connection = connection();
    requireField(4, "end-of-line before authentication method");
    List<Words.Word> databases = names(1, "samerole", "samegroup", "replication");
    List<Words.Word> users = names(2);
    boolean masked = line.fields().size() > 4 && isMask(line.word(4));
    AddressRange addresses =
        masked
            ? AddressRange.parse(line.number(), line.word(3), line.word(4))
            : AddressRange.parse(line.number(), line.word(3));
    int at = masked ? 5 : 4;
    requireField(at, "end-of-line before authentication method");
    Method method = method(line.word(at).text());
    for (int i = at + 1; i < line.fields().size(); i++) {
      readOption(line.word(i).text());
    }
    checkOptions(connection, method);
    return new HbaRule(
        line.number(), connection, databases, users, addresses, method, clientCertificate, map);
  }

  private void requireField(int index, String otherwise) throws ConfigurationException {
    if (line.fields().size() <= index) {
      throw error(otherwise);
    }
  }

  private Connection connection() throws ConfigurationException {
    String word = line.word(0).text();
    return switch (word) {
      case "host", "hostnogssenc" -> Connection.HOST;
      case "hostssl" -> Connection.HOSTSSL;
      case "hostnossl" -> Connection.HOSTNOSSL;
      default ->
          throw error(
              "connection type \""
                  + word
                  + "\" is not supported; there are host, hostssl, hostnossl and hostnogssenc");
    };
  }

  private List<Words.Word> names(int field, String... unsupported) throws ConfigurationException {
    List<Words.Word> names = line.fields().get(field);
    for (Words.Word name : names) {
      for (String keyword : unsupported) {
        if (name.is(keyword)) {
          throw error("the keyword " + keyword + " is not supported");
        }
      }
      if (name.text().startsWith("/") || !name.quoted() && name.text().matches("[+@].*")) {
        throw error("\"" + name.text() + "\": groups, files and patterns are not supported");
      }
    }
    return names;
  }

  private static boolean isMask(Words.Word word) {
    return !word.quoted() && word.text().matches("[0-9.]+|[0-9A-Fa-f:]*:[0-9A-Fa-f:]*");
  }

  private Method method(String word) throws ConfigurationException {
    for (Method method : Method.values()) {
      if (method.name().toLowerCase(Locale.ROOT).replace('_', '-').equals(word)) {
        return method;
      }
    }
    throw error(
        UNSUPPORTED_METHODS.contains(word)
            ? "authentication method \""
                + word
                + "\" is not supported; there are scram-sha-256, cert and reject"
            : "invalid authentication method \"" + word + "\"");
  }

  private void readOption(String word) throws ConfigurationException {
    int equals = word.indexOf('=');
    String value = word.substring(equals + 1);
    switch (equals < 0 ? word : word.substring(0, equals)) {
      case "clientcert" ->
          clientCertificate =
              switch (value) {
                case "verify-ca" -> ClientCertificate.VERIFY_CA;
                case "verify-full" -> ClientCertificate.VERIFY_FULL;
                default -> throw error("invalid value for clientcert: \"" + value + "\"");
              };
      case "map" -> map = value;
      case "clientname" -> {
        if (!value.equals("CN")) {
          throw error("clientname=" + value + " is not supported; it is CN");
        }
      }
      default -> throw error("unrecognized authentication option \"" + word + "\"");
    }
  }

  private void checkOptions(Connection connection, Method method) throws ConfigurationException {
    boolean certificates = method == Method.CERT || clientCertificate != ClientCertificate.NO;
    if (certificates && connection != Connection.HOSTSSL) {
      throw error("client certificates are only there on hostssl connections");
    }
    if (method == Method.CERT) {
      if (clientCertificate == ClientCertificate.VERIFY_CA) {
        throw error("clientcert only accepts \"verify-full\" when the method is cert");
      }
      clientCertificate = ClientCertificate.VERIFY_FULL;
    }
    if (map != null && clientCertificate != ClientCertificate.VERIFY_FULL) {
      throw error("map is only for cert and clientcert=verify-full");
    }
  }

  private ConfigurationException error(String message) {
    return new ConfigurationException(line.number(), message);
  }
}
