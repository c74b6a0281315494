package org.abelian.router.session;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.abelian.router.error.AbelianException;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.MemoryBudget;

/**
 * The client's transaction: whether one is open, whether it has failed, and what a node that joins
 * it late must be told first. Not thread-safe.
 */
public final class TransactionState {
  /** Who opened the transaction. */
  public enum Kind {
    /** Nobody: each node commits a group of messages by itself. */
    NONE,
    /** The router, for one group of messages that concerns several nodes. */
    IMPLICIT,
    /** The client, with BEGIN. */
    BLOCK
  }

  /**
   * Something that nodes must be told in order: a savepoint, or settings made inside the
   * transaction.
   *
   * @param savepoint its name; null for settings
   * @param settings their names; none for a savepoint
   * @param value what a SET of one setting sets; null otherwise
   */
  public record Entry(
      String savepoint, List<String> settings, String value, NodeStatement statement) {
    public Entry {
      settings = List.copyOf(settings);
    }

    private boolean isMode() {
      return settings.stream().anyMatch(MODES::contains);
    }

    private long bytes() {
      return ENTRY_LEAST + statement.heapBytes();
    }
  }

  /** What an entry takes beside its text, in bytes. */
  private static final int ENTRY_LEAST = 200;

  /** Of which moments its nodes' snapshots are, above READ COMMITTED. */
  enum Snapshots {
    /** There is none yet, or each node has its own. */
    OWN,
    /** Nodes have joined for a LOCK, which takes none. */
    LOCKING,
    /** LOCK is over: they are taken before anything else is done. */
    AWAITED,
    /** Some may have been taken when it failed. */
    BROKEN,
    /** All are of one moment. */
    COMMON
  }

  private static final NodeStatement PLAIN_BEGIN = NodeStatement.of("BEGIN");

  private static final List<String> MODES =
      List.of(
          "transaction",
          "transaction_isolation",
          "transaction_read_only",
          "transaction_deferrable");

  private Kind kind = Kind.NONE;
  private boolean beginAnswered;
  private boolean failed;
  private boolean votesEarly;
  private boolean ending;
  private boolean committed;
  private boolean listens;
  private boolean passedBy;
  private Snapshots snapshots = Snapshots.OWN;
  private NodeStatement begin = PLAIN_BEGIN;
  private String isolation;
  private final List<Entry> history = new ArrayList<>();
  private final TransactionWork work = new TransactionWork();
  private final SharedTimestamp timestamp = new SharedTimestamp();
  private final MemoryBudget memory;

  /** Counts what it keeps. */
  public TransactionState(MemoryBudget memory) {
    this.memory = memory;
  }

  public Kind kind() {
    return kind;
  }

  /** True when the client has been told that its block has begun. */
  boolean isBeginAnswered() {
    return beginAnswered;
  }

  /** Whether the client has been told that its block has begun. */
  void beginAnswered(boolean answered) {
    beginAnswered = answered;
  }

  public boolean isOpen() {
    return kind != Kind.NONE;
  }

  public boolean isBlock() {
    return kind == Kind.BLOCK;
  }

  /** True when only ROLLBACK, COMMIT and ROLLBACK TO are allowed. */
  public boolean isFailed() {
    return failed;
  }

  public void fail() {
    failed = true;
  }

  /** True when a COMMIT or ROLLBACK is on its way to the only node. */
  public boolean isEnding() {
    return ending;
  }

  public void ending() {
    ending = true;
  }

  /** Its end was not run: it is open as before. */
  void goesOn() {
    ending = false;
  }

  /** Its end decides what the session listens to. */
  void listens() {
    listens = true;
  }

  boolean isListening() {
    return listens;
  }

  /** It has committed, although the node that has done so cannot tell any more. */
  void hasCommitted() {
    committed = true;
  }

  boolean isCommitted() {
    return committed;
  }

  /** True when a statement of it was answered beside it, at READ COMMITTED. */
  public boolean hasPassedBy() {
    return passedBy;
  }

  void passedBy() {
    passedBy = true;
  }

  /** True when the vote shall travel with the last message of the group. */
  public boolean votesEarly() {
    return votesEarly;
  }

  public void voteEarly() {
    votesEarly = true;
  }

  /** True when all nodes have snapshots of one moment. */
  public boolean hasCommonSnapshot() {
    return snapshots == Snapshots.COMMON;
  }

  Snapshots snapshots() {
    return snapshots;
  }

  void snapshots(Snapshots now) {
    snapshots = now;
  }

  /** True when nodes that have begun have no snapshot that may be used. */
  boolean lacksSnapshot() {
    return snapshots != Snapshots.OWN && snapshots != Snapshots.COMMON;
  }

  /** A LOCK is under way, behind which the snapshots will be taken. */
  public boolean isLocking() {
    return snapshots == Snapshots.LOCKING;
  }

  /** It is over. */
  public void locked() {
    if (snapshots == Snapshots.LOCKING) {
      snapshots = Snapshots.AWAITED;
    }
  }

  /** What SET has given a setting in the transaction; null when nothing has. */
  String valueSet(String name) {
    String value = null;
    for (Entry entry : history) {
      value = entry.value() != null && entry.settings().contains(name) ? entry.value() : value;
    }
    return value;
  }

  /** True when a savepoint is open. */
  public boolean isInSavepoint() {
    return savepointsFrom() < history.size();
  }

  /** How much of the history there is before the first savepoint. */
  int savepointsFrom() {
    int at = 0;
    while (at < history.size() && history.get(at).savepoint() == null) {
      at++;
    }
    return at;
  }

  /** What has set the modes of the transaction, in order. */
  List<Entry> modes() {
    return history.stream().filter(Entry::isMode).toList();
  }

  /** The statement that nodes begin with. */
  public NodeStatement beginStatement() {
    return begin;
  }

  /** What BEGIN or SET TRANSACTION asked for, in lower case; null for the session's default. */
  public String isolation() {
    return isolation;
  }

  public void isolation(String level) {
    isolation = level;
  }

  /** What a node that joins is told after BEGIN. */
  public List<Entry> history() {
    return history;
  }

  /** What the transaction has done, or the group of messages when none is open. */
  public TransactionWork work() {
    return work;
  }

  /** When the transaction has begun, or the group of messages when none is open. */
  SharedTimestamp timestamp() {
    return timestamp;
  }

  /** The client's BEGIN. */
  public void beginBlock(NodeStatement statement, String level) {
    kind = Kind.BLOCK;
    begin = statement;
    isolation = level;
  }

  /** The router's own BEGIN for a group of messages. */
  public void beginImplicit() {
    kind = Kind.IMPLICIT;
    begin = PLAIN_BEGIN;
  }

  /** BEGIN within a group that the router has already opened: it becomes the client's. */
  public void adopt() {
    kind = Kind.BLOCK;
  }

  /**
   * The same with modes, which nodes that join later are told behind what has happened so far.
   *
   * @param level null when it asks for none
   */
  public void adopt(NodeStatement statement, String level) {
    adopt();
    begin = statement;
    isolation = level == null ? isolation : level;
    if (!history.isEmpty()) {
      setting(MODES, statement);
    }
  }

  /**
   * Modes that a BEGIN in the block has set.
   *
   * @param level null when it asks for none
   */
  void modes(NodeStatement statement, String level) {
    isolation = level == null ? isolation : level;
    setting(MODES, statement);
  }

  public void savepoint(String name, NodeStatement statement) {
    add(new Entry(name, List.of(), null, statement));
  }

  public void setting(List<String> names, NodeStatement statement) {
    add(new Entry(null, names, null, statement));
  }

  /** A SET of the client's; no value is that of the default. */
  public void setting(String name, String value, NodeStatement statement) {
    add(new Entry(null, List.of(name), value == null ? "" : value, statement));
  }

  /**
   * Looks whether there is room to keep it.
   *
   * @throws AbelianException 53200 when there is none
   */
  public void requireRoom(NodeStatement statement) {
    memory.requireRoom(statement.heapBytes());
  }

  private void add(Entry entry) {
    memory.takeAnyway(entry.bytes());
    history.add(entry);
  }

  /** The history that was there before, once more. */
  void restore(List<Entry> entries) {
    entries.forEach(this::add);
  }

  private void forget(List<Entry> entries) {
    entries.forEach(entry -> memory.give(entry.bytes()));
    entries.clear();
  }

  /** True when the transaction has made settings, for itself or for the session. */
  public boolean changesSettings() {
    return history.stream().anyMatch(entry -> !entry.settings().isEmpty());
  }

  /**
   * The statements that set one of these, in order; empty when none has been made.
   *
   * @param names in lower case: nodes report names in their own
   */
  public String changesOf(Collection<String> names) {
    if (history.isEmpty()) {
      return "";
    }
    StringBuilder text = new StringBuilder();
    for (Entry entry : history) {
      if (entry.settings().stream()
          .anyMatch(name -> names.contains(name.toLowerCase(Locale.ROOT)))) {
        text.append(entry.statement().sql()).append('\0');
      }
    }
    return text.toString();
  }

  /**
   * Releases a savepoint and those after it; settings made since stay, but for modes, which
   * PostgreSQL takes back where a subtransaction ends.
   */
  public void release(String name) {
    int at = find(name);
    for (int i = history.size() - 1; at >= 0 && i >= at; i--) {
      if (history.get(i).savepoint() != null || history.get(i).isMode()) {
        forget(history.subList(i, i + 1));
      }
    }
  }

  /** Back to a savepoint, which stays. */
  public void rollbackTo(String name) {
    int at = find(name);
    if (at >= 0) {
      forget(history.subList(at + 1, history.size()));
      work.refuse("it rolled back to a savepoint");
      timestamp.tellAgain();
      failed = false;
    }
  }

  /** True when the savepoint is there. */
  public boolean hasSavepoint(String name) {
    return find(name) >= 0;
  }

  private int find(String name) {
    for (int i = history.size() - 1; i >= 0; i--) {
      if (name.equals(history.get(i).savepoint())) {
        return i;
      }
    }
    return -1;
  }

  /** No transaction is open any more. */
  public void end() {
    kind = Kind.NONE;
    failed = false;
    ending = false;
    committed = false;
    listens = false;
    passedBy = false;
    votesEarly = false;
    snapshots = Snapshots.OWN;
    begin = PLAIN_BEGIN;
    isolation = null;
    forget(history);
    groupEnds();
  }

  /** What nodes have done for a group of messages without a transaction is over. */
  void groupEnds() {
    work.clear();
    timestamp.clear();
  }

  /** The status byte of ReadyForQuery. */
  public char status() {
    return kind != Kind.BLOCK ? 'I' : failed ? 'E' : 'T';
  }
}
