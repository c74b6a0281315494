package org.abelian.router.tls;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * OpenSSL's language for lists of cipher suites, over those of the JDK: names of suites, keywords
 * such as HIGH and ECDHE+AESGCM, and the signs !, - and +. It concerns TLS 1.2 and older; the
 * suites of TLS 1.3 are always in. What the JDK does not have is left out, as OpenSSL leaves out
 * what it does not know.
 */
final class CipherList {
  private static final String WITH = "_WITH_";

  /** A suite of the JDK and what OpenSSL calls it and its parts. */
  private record Suite(String name, Set<String> keywords) {}

  private final List<Suite> supported = new ArrayList<>();
  private final List<String> ofTls13 = new ArrayList<>();
  private final Set<Suite> chosen = new LinkedHashSet<>();
  private final Set<Suite> killed = new HashSet<>();

  private CipherList(String[] suites) {
    for (String name : suites) {
      if (name.contains(WITH)) {
        supported.add(new Suite(name, keywords(name)));
      } else if (!name.endsWith("_SCSV")) {
        ofTls13.add(name);
      }
    }
  }

  /**
   * The JDK's names of the suites of a list, in its order.
   *
   * @param supported the JDK's names of those that there are
   * @throws IllegalArgumentException when none is left
   */
  static String[] select(String list, String[] supported) {
    CipherList selection = new CipherList(supported);
    for (String word : list.split("[:, ;]+")) {
      if (!word.isEmpty()) {
        selection.apply(word);
      }
    }
    if (selection.chosen.isEmpty()) {
      throw new IllegalArgumentException(
          "could not set the cipher list \"" + list + "\": no valid ciphers available");
    }
    List<String> result = new ArrayList<>(selection.ofTls13);
    selection.chosen.forEach(suite -> result.add(suite.name()));
    return result.toArray(String[]::new);
  }

  private void apply(String word) {
    char sign = word.charAt(0);
    switch (sign) {
      case '!' -> {
        List<Suite> found = matching(word.substring(1));
        found.forEach(chosen::remove);
        killed.addAll(found);
      }
      case '-' -> matching(word.substring(1)).forEach(chosen::remove);
      case '+' -> {
        List<Suite> last = matching(word.substring(1));
        last.retainAll(chosen);
        last.forEach(chosen::remove);
        chosen.addAll(last);
      }
      case '@' -> {
        if (!word.equals("@STRENGTH")) { // The JDK's order is by strength already.
          throw new IllegalArgumentException(word + " is not supported in a cipher list");
        }
      }
      default -> {
        List<Suite> found = matching(word);
        found.removeAll(killed);
        chosen.addAll(found);
      }
    }
  }

  private List<Suite> matching(String expression) {
    List<String> wanted = Arrays.asList(expression.split("\\+"));
    List<Suite> result = new ArrayList<>();
    for (Suite suite : supported) {
      if (suite.keywords().containsAll(wanted)) {
        result.add(suite);
      }
    }
    return result;
  }

  private static Set<String> keywords(String name) {
    int with = name.indexOf(WITH);
    String exchange = name.substring(name.indexOf('_') + 1, with);
    String cipher = name.substring(with + WITH.length());
    Set<String> words = new HashSet<>(List.of(name, opensslName(exchange, cipher)));
    addExchange(words, exchange);
    addCipher(words, cipher);
    return words;
  }

  private static void addExchange(Set<String> words, String exchange) {
    switch (exchange) {
      case "ECDHE_ECDSA", "ECDHE_RSA" ->
          words.addAll(List.of("ECDHE", "EECDH", "kECDHE", "kEECDH"));
      case "DHE_RSA", "DHE_DSS" -> words.addAll(List.of("DHE", "EDH", "kDHE", "kEDH"));
      case "RSA" -> words.addAll(List.of("kRSA", "RSA"));
      case "DH_anon" -> words.addAll(List.of("aNULL", "ADH"));
      case "ECDH_anon" -> words.addAll(List.of("aNULL", "AECDH"));
      default -> {
        // Fixed Diffie-Hellman has no keyword any more.
      }
    }
    if (exchange.endsWith("RSA")) {
      words.add("aRSA");
    } else if (exchange.endsWith("ECDSA")) {
      words.addAll(List.of("aECDSA", "ECDSA"));
    } else if (exchange.endsWith("DSS")) {
      words.addAll(List.of("aDSS", "DSS"));
    }
  }

  private static void addCipher(Set<String> words, String cipher) {
    if (cipher.startsWith("NULL")) {
      words.addAll(List.of("eNULL", "NULL"));
    } else {
      words.addAll(List.of("ALL", "DEFAULT"));
      words.add(cipher.startsWith("3DES") ? "MEDIUM" : "HIGH");
    }
    if (cipher.startsWith("AES_")) {
      words.addAll(List.of("AES", "AES" + cipher.substring(4, 7)));
      if (cipher.contains("GCM")) {
        words.add("AESGCM");
      }
    } else if (cipher.startsWith("CHACHA20")) {
      words.add("CHACHA20");
    } else if (cipher.startsWith("3DES")) {
      words.add("3DES");
    }
    String digest = cipher.substring(cipher.lastIndexOf('_') + 1);
    words.add(digest);
    if (digest.equals("SHA")) {
      words.addAll(List.of("SHA1", "TLSv1"));
    } else {
      words.add("TLSv1.2");
    }
  }

  private static String opensslName(String exchange, String cipher) {
    String prefix =
        switch (exchange) {
          case "RSA" -> "";
          case "DH_anon" -> "ADH-";
          case "ECDH_anon" -> "AECDH-";
          default -> exchange.replace('_', '-') + "-";
        };
    String suffix =
        cipher
            .replace("3DES_EDE_CBC", "DES_CBC3")
            .replace("AES_", "AES")
            .replace("CHACHA20_POLY1305_SHA256", "CHACHA20_POLY1305");
    if (suffix.startsWith("AES")) {
      suffix = suffix.replace("_CBC", "");
    }
    return prefix + suffix.replace('_', '-');
  }
}
