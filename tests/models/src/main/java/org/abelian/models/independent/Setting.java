package org.abelian.models.independent;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * What is explored.
 *
 * @param nodes how many nodes
 * @param participants for each independent transaction the set of its nodes, as bits
 * @param coordinated the nodes of a coordinated transaction that conflicts with all others, as
 *     bits; 0 for none
 * @param reads those of the independent transactions that write nothing: reads of several nodes,
 *     whose snapshots are taken in their turn; as bits
 * @param patient whether the coordinated transaction waits for the lanes without a limit, and gives
 *     up only for a fragment that waits for its row lock
 * @param faults how much may go wrong
 * @param flaws mistakes in the protocol
 */
public record Setting(
    int nodes,
    List<Integer> participants,
    int coordinated,
    int reads,
    boolean patient,
    Faults faults,
    Set<Flaw> flaws) {
  /**
   * How often something may happen in one run.
   *
   * @param crashes of nodes
   * @param routers deaths of routers, recovering ones included
   * @param losses of messages or answers
   * @param jumps of clocks
   * @param hasty recoveries of a transaction whose router is alive
   */
  public record Faults(int crashes, int routers, int losses, int jumps, int hasty) {}

  /** Copies the collections. */
  public Setting {
    participants = List.copyOf(participants);
    flaws = flaws.isEmpty() ? EnumSet.noneOf(Flaw.class) : EnumSet.copyOf(flaws);
  }

  /** The protocol as the page has it. */
  public static Setting of(int nodes, List<Integer> participants, int coordinated, Faults faults) {
    return new Setting(nodes, participants, coordinated, 0, false, faults, Set.of());
  }

  /** The same with a mistake. */
  public Setting with(Flaw flaw) {
    return new Setting(nodes, participants, coordinated, reads, patient, faults, Set.of(flaw));
  }

  /** The same with a coordinated transaction that gives up only where nothing else can go on. */
  public Setting withPatience() {
    return new Setting(nodes, participants, coordinated, reads, true, faults, flaws);
  }

  /** The same, but that the last of the transactions is a read. */
  public Setting withLastRead() {
    int last = 1 << participants.size() - 1;
    return new Setting(nodes, participants, coordinated, last, patient, faults, flaws);
  }

  int transactions() {
    return participants.size();
  }

  boolean takesPart(int node, int transaction) {
    return (participants.get(transaction) >> node & 1) == 1;
  }

  boolean isRead(int transaction) {
    return (reads >> transaction & 1) == 1;
  }

  boolean isCoordinatedOn(int node) {
    return (coordinated >> node & 1) == 1;
  }

  boolean has(Flaw flaw) {
    return flaws.contains(flaw);
  }
}
