package org.abelian.server;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Who may come in. A connection first takes one of a bounded number of places for those who have
 * not proved yet who they are, then one of the places of clients. When the first are full, the
 * connection that has been there for longest makes way, of the address that has most of them: a
 * stranger who keeps many open mostly drives out his own. Cancel requests need no place of a
 * client. Safe for several threads.
 */
final class Admission {
  /** Somebody at the door. */
  interface Visitor {
    /** Ends the connection. */
    void turnAway();
  }

  private int startingMax;
  private int clientsMax;
  private final Map<Visitor, InetAddress> starting = new LinkedHashMap<>();
  private int leaving;
  private int clients;

  /**
   * @param startingMax places before authentication
   * @param clientsMax places after it
   */
  Admission(int startingMax, int clientsMax) {
    this.startingMax = startingMax;
    this.clientsMax = clientsMax;
  }

  /** Sets other numbers of places; whoever is there stays. */
  synchronized void bounds(int starting, int admitted) {
    startingMax = starting;
    clientsMax = admitted;
  }

  /**
   * Somebody has connected.
   *
   * @return false when there is no place: so many of those who were turned away are still there
   */
  boolean enter(Visitor visitor, InetAddress address) {
    Visitor out = null;
    synchronized (this) {
      if (starting.size() + leaving >= 2 * startingMax) {
        return false;
      }
      if (starting.size() >= startingMax) {
        out = longestOfTheMany();
        starting.remove(out);
        leaving++;
      }
      starting.put(visitor, address);
    }
    if (out != null) {
      out.turnAway();
    }
    return true;
  }

  private Visitor longestOfTheMany() {
    Map<InetAddress, Integer> counts = new HashMap<>();
    starting.values().forEach(address -> counts.merge(address, 1, Integer::sum));
    int most = counts.values().stream().mapToInt(Integer::intValue).max().orElseThrow();
    return starting.entrySet().stream()
        .filter(entry -> counts.get(entry.getValue()) == most)
        .map(Map.Entry::getKey)
        .findFirst()
        .orElseThrow();
  }

  /** True when no more clients can be served. */
  synchronized boolean isFull() {
    return clients >= clientsMax;
  }

  /** A visitor has proved who it is; false when no more clients can be served. */
  synchronized boolean admit(Visitor visitor) {
    if (clients >= clientsMax || starting.remove(visitor) == null) {
      return false;
    }
    clients++;
    return true;
  }

  /**
   * The thread of a connection ends.
   *
   * @param admitted whether it was let in
   */
  synchronized void leave(Visitor visitor, boolean admitted) {
    if (admitted) {
      clients--;
    } else if (starting.remove(visitor) == null) {
      leaving--;
    }
  }

  /** How many connections there are. */
  synchronized int size() {
    return starting.size() + leaving + clients;
  }
}
