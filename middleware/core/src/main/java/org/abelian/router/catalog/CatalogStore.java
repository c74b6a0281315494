package org.abelian.router.catalog;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The catalogue that a router works with: the newest that any node of the cluster has. Safe for
 * several threads; readers never wait for a refresh that they did not ask for.
 */
public final class CatalogStore {
  private static final Logger LOG = LoggerFactory.getLogger(CatalogStore.class);

  private final CatalogSource source;
  private final List<Node> seeds;
  private volatile Catalog current;

  /**
   * @param seeds the addresses that the user gave, in order; the ids do not matter
   */
  public CatalogStore(CatalogSource source, List<Node> seeds) {
    this.source = source;
    this.seeds = List.copyOf(seeds);
  }

  /**
   * The catalogue, loaded when there is none yet.
   *
   * @throws AbelianException 08001 when no node answers, 55000 when nodes contradict each other
   */
  public Catalog current() {
    Catalog known = current;
    return known != null ? known : refresh(Long.MIN_VALUE);
  }

  /**
   * A catalogue newer than the given version, if the cluster has one. Threads that come for the
   * same reason share one load.
   *
   * @throws AbelianException as {@link #current}
   */
  public synchronized Catalog refresh(long staleVersion) {
    Catalog known = current;
    if (known != null && known.version() > staleVersion) {
      return known;
    }
    Catalog loaded = load(known);
    if (known == null || loaded.version() >= known.version()) {
      current = loaded;
    }
    return current;
  }

  /** Asks all addresses, then every other node that the first one's answer names. */
  private Catalog load(Catalog known) {
    Set<Node> addresses = new LinkedHashSet<>(known == null ? List.of() : known.nodes());
    addresses.addAll(seeds);
    CatalogInquiry inquiry = new CatalogInquiry(source);
    addresses.forEach(inquiry::ask);
    List<String> failures = new ArrayList<>();
    for (Node address : addresses) {
      try {
        return newestOfAll(CatalogParser.parse(inquiry.answer(address), address), address, inquiry);
      } catch (IOException unreachable) {
        failures.add(address.host() + ":" + address.port() + ": " + unreachable.getMessage());
      }
    }
    throw new AbelianException(
        SqlState.UNABLE_TO_CONNECT,
        "no node of the cluster answers",
        String.join("\n", failures),
        "Check that the nodes run, and the addresses in the URL.",
        null);
  }

  private Catalog newestOfAll(Catalog first, Node asked, CatalogInquiry inquiry) {
    Catalog newest = first;
    first.nodes().forEach(inquiry::ask);
    Set<Node> seen = new HashSet<>(Set.of(asked));
    for (Node node : first.nodes()) {
      if (seen.stream().anyMatch(other -> sameAddress(other, node))) {
        continue;
      }
      seen.add(node);
      try {
        Catalog other = CatalogParser.parse(inquiry.answer(node), node);
        requireAgreement(newest, other, node);
        newest = other.version() > newest.version() ? other : newest;
      } catch (IOException unreachable) {
        LOG.warn(
            "node {} at {}:{} does not answer: {}",
            node.id(),
            node.host(),
            node.port(),
            unreachable.getMessage());
      }
    }
    return newest;
  }

  private static boolean sameAddress(Node one, Node other) {
    return one.host().equals(other.host()) && one.port() == other.port();
  }

  private static void requireAgreement(Catalog one, Catalog other, Node node) {
    if (one.version() == other.version() && !one.equals(other)) {
      throw new AbelianException(
          SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
          "the nodes do not agree about the placement of tables",
          "Node "
              + node.id()
              + " at "
              + node.host()
              + ":"
              + node.port()
              + " has another catalogue of version "
              + other.version()
              + " than the other nodes.",
          "Were two clusters mixed in the URL, or the catalogue changed on one node by itself?",
          null);
    }
  }
}
