package org.abelian.server.hba;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rules by which clients are let in. They are read again when the server is told to, since half
 * a file may say the opposite of the whole. Safe for several threads.
 */
public final class ClientRules {
  private static final Logger LOG = LoggerFactory.getLogger(ClientRules.class);

  /** Where no file is named: anyone who can prove a password. */
  private static final String WITHOUT_FILE = "host all all all scram-sha-256";

  private record Loaded(List<HbaRule> rules, IdentMap maps) {}

  private final Path hbaFile;
  private final Path identFile;
  private volatile Loaded loaded;

  private ClientRules(Path hbaFile, Path identFile) throws IOException {
    this.hbaFile = hbaFile;
    this.identFile = identFile;
    loaded = load();
  }

  /**
   * Reads the files.
   *
   * @param hbaFile like pg_hba.conf; null for SCRAM from everywhere
   * @param identFile like pg_ident.conf; null for no maps
   * @throws IOException when one cannot be read, or says what the server cannot do
   */
  public static ClientRules open(Path hbaFile, Path identFile) throws IOException {
    return new ClientRules(hbaFile, identFile);
  }

  /**
   * Reads them again; what cannot be used is logged, and the rules stay as they were. One after the
   * other: what was read first must not come in last.
   */
  public synchronized void reload() {
    try {
      loaded = load();
    } catch (IOException e) {
      LOG.warn("rules for clients not loaded again, those before are kept: {}", e.getMessage());
    }
  }

  private Loaded load() throws IOException {
    List<HbaRule> rules = read(hbaFile, WITHOUT_FILE, HbaFile::parse);
    return new Loaded(rules, read(identFile, "", IdentMap::parse));
  }

  private interface Parser<T> {
    T parse(String text) throws ConfigurationException;
  }

  private static <T> T read(Path file, String otherwise, Parser<T> parser) throws IOException {
    String text = file == null ? otherwise : Files.readString(file);
    try {
      return parser.parse(text);
    } catch (ConfigurationException e) {
      throw new IOException(file + ", " + e.getMessage(), e);
    }
  }

  /** True when there is a rule for encrypted connections only. */
  public boolean mentionEncryption() {
    return loaded.rules().stream()
        .anyMatch(rule -> rule.connection() == HbaRule.Connection.HOSTSSL);
  }

  /** The first rule about a connection; null when there is none. */
  HbaRule find(boolean encrypted, InetAddress client, String database, String user) {
    for (HbaRule rule : loaded.rules()) {
      if (rule.matches(encrypted, client, database, user)) {
        return rule;
      }
    }
    return null;
  }

  /** True when one of that common name may be the role, by a map of pg_ident.conf. */
  boolean allows(String map, String commonName, String role) {
    return loaded.maps().allows(map, commonName, role);
  }
}
