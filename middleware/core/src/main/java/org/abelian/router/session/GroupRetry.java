package org.abelian.router.session;

import java.util.ArrayList;
import java.util.List;
import org.abelian.router.backend.BackendSession;
import org.abelian.router.backend.SessionSettings;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.CatalogStore;
import org.abelian.router.execution.ClientOutput;
import org.abelian.router.statement.ClientStatements;

/**
 * Runs a group of messages again when a node knows a newer placement than the one it was routed by,
 * or when its statements met others in a deadlock because they did not wait for each other. That is
 * possible while the client has got nothing of its answer and no earlier group took part in the
 * transaction.
 */
public final class GroupRetry {
  private static final int ATTEMPTS = 3;

  /**
   * As many where somebody else's change of the placement came first. Each time one of them has
   * committed, and who comes next is chance: of eight sessions that do nothing else, one in fifteen
   * is last twenty times.
   */
  private static final int ATTEMPTS_BESIDE_CHANGES = 100;

  /**
   * As many after deadlocks: those whose groups were under way when the order began to be kept may
   * be part of further ones, each of which ends one of them.
   */
  private static final int ATTEMPTS_IN_ORDER = 10;

  private final TransactionState state;
  private final BackendSession backends;
  private final ClientOutput output;
  private final ClientStatements statements;
  private final SessionSettings settings;
  private final CatalogStore catalog;
  private final TransactionEnding ending;
  private final LockOrder order;
  private final List<String> defined = new ArrayList<>();
  private long outputPosition;
  private boolean inBlock;
  private int historySize;
  private boolean possible;
  private boolean parsed;

  /** The deadlock detector looks at it. */
  private volatile boolean locksOverNodes;

  private boolean lasts;
  private boolean wanted;
  private boolean placementChanged;
  private int attempts;
  private int attemptsInOrder;
  private int attemptsBesideChanges;

  /** Those of them that began with the same placement as the one before. */
  private int attemptsAlike;

  /** The placement with which this attempt began; its later statements may know a newer one. */
  private long routedBy;

  /** The same of the last attempt that met somebody else's change. */
  private long changedSince;

  /** No group has begun. */
  public GroupRetry(
      TransactionState state,
      BackendSession backends,
      ClientOutput output,
      ClientStatements statements,
      SessionSettings settings,
      CatalogStore catalog,
      TransactionEnding ending,
      LockOrder order) {
    this.state = state;
    this.backends = backends;
    this.output = output;
    this.statements = statements;
    this.settings = settings;
    this.catalog = catalog;
    this.ending = ending;
    this.order = order;
  }

  /** A group begins; it may be one that runs again. */
  public void beginGroup() {
    routedBy = settings.snapshot().placementVersion();
    outputPosition = output.position();
    inBlock = state.isBlock();
    historySize = state.history().size();
    possible = backends.firstBegun() == null && !state.isFailed() && !state.isListening();
    wanted = false;
    parsed = false;
    locksOverNodes = false;
    lasts = false;
    defined.clear();
    statements.beginGroup();
  }

  /** The group did something that must not be done twice. */
  public void forbid() {
    possible = false;
  }

  /**
   * The group writes on several nodes at once. In a transaction it can still be run again, since
   * all of that is rolled back then.
   */
  public void forbidAfterWrites() {
    if (!state.isOpen()) {
      forbid();
    }
  }

  /** The group brought the text of a statement. */
  public void parsed() {
    parsed = true;
  }

  /** True when the group brought the text of a statement. */
  public boolean hasParsed() {
    return parsed;
  }

  /** The group defined a statement of that name. */
  public void defined(String name) {
    defined.add(name);
  }

  /**
   * Asks for another attempt; false when there cannot be one.
   *
   * @param newPlacement true when the catalogue must be read again before it
   */
  public boolean request(boolean newPlacement) {
    if (attempts >= ATTEMPTS || !rewind(newPlacement)) {
      done();
      return false;
    }
    attempts++;
    return true;
  }

  /** As {@link #request}, after another's change of the placement. */
  public boolean requestBesideChange() {
    if (!goesOnBesideChange() || !rewind(true)) {
      done();
      return false;
    }
    return true;
  }

  /**
   * Reads the placement anew for a command that a node has refused before it began, after other
   * nodes have run it.
   *
   * @return null when that has been done too often
   */
  public Catalog learnPlacement() {
    return goesOnBesideChange() ? readPlacement() : null;
  }

  /** Counts one more attempt beside somebody else's changes, unless there have been enough. */
  private boolean goesOnBesideChange() {
    attemptsAlike = routedBy == changedSince ? attemptsAlike : 0;
    if (attemptsAlike >= ATTEMPTS || attemptsBesideChanges >= ATTEMPTS_BESIDE_CHANGES) {
      return false;
    }
    changedSince = routedBy;
    attemptsAlike++;
    attemptsBesideChanges++;
    return true;
  }

  private Catalog readPlacement() {
    Catalog read = catalog.refresh(settings.snapshot().placementVersion());
    settings.placementVersion(read.version());
    routedBy = read.version();
    return read;
  }

  private boolean rewind(boolean newPlacement) {
    if (!possible || !output.rewind(outputPosition)) {
      return false;
    }
    wanted = true;
    placementChanged = newPlacement;
    return true;
  }

  /**
   * A statement locks rows while another node has not answered what stands before it.
   *
   * @return true when it must wait until everything before it is answered
   */
  public boolean mustKeepOrder() {
    boolean kept = order.isKept();
    locksOverNodes |= !kept;
    return kept;
  }

  /**
   * The group did something that no rollback takes back, or that it would not find again: once its
   * statements have run it cannot be run again.
   */
  public void lasts() {
    lasts = true;
  }

  /**
   * As {@link #request}, after a deadlock between nodes, which the group's order may avoid. Who has
   * kept the order may have met somebody who did not yet, or a definition that takes its nodes one
   * after the other.
   */
  public boolean requestAfterDeadlock() {
    if (locksOverNodes) {
      order.keep();
    }
    if (lasts || attemptsInOrder >= ATTEMPTS_IN_ORDER || !rewind(false)) {
      done();
      return false;
    }
    attemptsInOrder++;
    return true;
  }

  /** True unless the group locks rows ahead of answers of other nodes. For all threads. */
  public boolean keepsOrder() {
    return !locksOverNodes;
  }

  /** True when the group runs for the first time. */
  public boolean isFirst() {
    return attempts == 0 && attemptsInOrder == 0 && attemptsBesideChanges == 0;
  }

  /** True when the group runs for the first time, and can be run again. */
  public boolean isFirstOfSeveral() {
    return possible && isFirst();
  }

  /** True when the group is to run again. */
  public boolean isWanted() {
    return wanted;
  }

  /** The group ended for good. */
  public void done() {
    attempts = 0;
    attemptsInOrder = 0;
    attemptsBesideChanges = 0;
    attemptsAlike = 0;
  }

  /** The group is answered, and does not run again. */
  public void over() {
    done();
    statements.groupIsOver();
  }

  /** Puts everything back to where it was before the group. */
  public void again() {
    wanted = false;
    List<TransactionState.Entry> history = List.copyOf(state.history().subList(0, historySize));
    var begin = state.beginStatement();
    String isolation = state.isolation();
    boolean passedBy = state.hasPassedBy();
    ending.rollbackAll();
    if (inBlock) {
      state.beginBlock(begin, isolation);
      state.restore(history);
      if (passedBy) {
        state.passedBy();
      }
    }
    backends.release();
    defined.forEach(statements::remove);
    statements.groupRunsAgain();
    output.rewind(outputPosition);
    if (placementChanged) {
      readPlacement();
    }
  }
}
