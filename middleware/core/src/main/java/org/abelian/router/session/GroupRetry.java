package org.abelian.router.session;

import java.util.ArrayList;
import java.util.List;

/**
 * Runs a group of messages again when a node knows a newer placement than the one it was routed by.
 * That is possible while the client has got nothing of its answer and no earlier group took part in
 * the transaction.
 */
final class GroupRetry {
  private static final int ATTEMPTS = 3;

  private final Session session;
  private final List<String> defined = new ArrayList<>();
  private long outputPosition;
  private boolean inBlock;
  private int historySize;
  private boolean possible;
  private boolean parsed;
  private boolean wanted;
  private boolean placementChanged;
  private int attempts;

  GroupRetry(Session session) {
    this.session = session;
  }

  /** A group begins; it may be one that runs again. */
  void beginGroup() {
    TransactionState state = session.transaction();
    outputPosition = session.output().position();
    inBlock = state.isBlock();
    historySize = state.history().size();
    possible = session.backends().firstBegun() == null && !state.isFailed();
    wanted = false;
    parsed = false;
    defined.clear();
  }

  /** The group did something that must not be done twice. */
  void forbid() {
    possible = false;
  }

  /** The group brought the text of a statement. */
  void parsed() {
    parsed = true;
  }

  /** True when the group brought the text of a statement. */
  boolean hasParsed() {
    return parsed;
  }

  /** The group defined a statement of that name. */
  void defined(String name) {
    defined.add(name);
  }

  /**
   * Asks for another attempt; false when there cannot be one.
   *
   * @param newPlacement true when the catalogue must be read again before it
   */
  boolean request(boolean newPlacement) {
    if (!possible || attempts >= ATTEMPTS || !session.output().rewind(outputPosition)) {
      attempts = 0;
      return false;
    }
    attempts++;
    wanted = true;
    placementChanged = newPlacement;
    return true;
  }

  /** True when the group is to run again. */
  boolean isWanted() {
    return wanted;
  }

  /** The group ended for good. */
  void done() {
    attempts = 0;
  }

  /** Puts everything back to where it was before the group. */
  void again() {
    TransactionState state = session.transaction();
    List<TransactionState.Entry> history = List.copyOf(state.history().subList(0, historySize));
    var begin = state.beginStatement();
    String isolation = state.isolation();
    session.control().ending().rollbackAll();
    if (inBlock) {
      state.beginBlock(begin, isolation);
      state.history().addAll(history);
    }
    session.backends().release();
    session.portals().clear();
    defined.forEach(session.statements()::remove);
    session.output().rewind(outputPosition);
    wanted = false;
    if (!placementChanged) {
      return;
    }
    long stale = session.settings().snapshot().placementVersion();
    session.settings().placementVersion(session.router().catalog().refresh(stale).version());
  }
}
