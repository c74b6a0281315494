package org.abelian.router.transaction;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The router's dialogue with the nodes about intents, over connections that belong to no session.
 * Every call is one transaction on one node and bounded in time. Safe for several threads.
 */
public interface IntentNetwork {
  /** The ids of the nodes in the current catalogue, ascending. */
  List<Integer> nodes();

  /** How to name a node to a person. */
  String describe(int node);

  /** What a node has of the transaction. */
  Optional<StoredIntent> read(int node, IntentId id) throws NodeUnreachableException;

  /**
   * Routers that have intents on a node, except one.
   *
   * @param olderThan how old the intents are at least, by the node's clock
   */
  List<UUID> routers(int node, UUID except, Duration olderThan) throws NodeUnreachableException;

  /**
   * A router's intents on a node.
   *
   * @param limit at most so many, smallest numbers first
   */
  List<StoredIntent> intents(int node, UUID router, int limit) throws NodeUnreachableException;

  /**
   * Bars the transaction on a node unless it has committed there; waits for a commit that is under
   * way.
   */
  Barring bar(int node, IntentId id, List<Integer> nodes) throws NodeUnreachableException;

  /**
   * Does the node's part of a transaction that has committed elsewhere, unless it is done or over.
   * Waits but shortly for locks.
   *
   * @return false when nothing is done, since others have a lock
   */
  boolean apply(int node, StoredIntent stored) throws NodeUnreachableException;

  /**
   * Keeps a router's sessions from committing transactions below that number on a node; waits for
   * those that are at it.
   */
  void close(int node, UUID router, long below) throws NodeUnreachableException;

  /** Tells a node that a router's transactions below that number are over on every node. */
  void forget(int node, UUID router, long below) throws NodeUnreachableException;

  /** Keeps the outcome of a lost COMMIT for who asks by its gid. */
  void record(Gid gid, boolean committed) throws NodeUnreachableException;
}
