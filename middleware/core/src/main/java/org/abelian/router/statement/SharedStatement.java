package org.abelian.router.statement;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.abelian.router.error.AbelianException;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.MemoryBudget;
import org.abelian.router.protocol.Utf8;

/**
 * A text with parameter types, shared by all sessions of a router that use it, and what is known
 * about it.
 */
public final class SharedStatement {
  /**
   * From this use on, a text that clients parse without a name is prepared on nodes under a name.
   */
  private static final int NAMED_FROM = 3;

  private static final int MISSING = 3;

  /** Of STDIN and STDOUT. */
  private static final String COPIED = "std";

  /** What is known about a text takes this at least, in bytes. */
  private static final int HELD_LEAST = 1000;

  /** What is known about a text; an {@link AnalysedStatement}. */
  interface Known {
    /** The types of its parameters. */
    List<Integer> parameters();
  }

  private final NodeStatement statement;
  private final String sql;
  private final TransactionCommand command;
  private final ExplainCommand explain;
  private final boolean blank;
  private final String malformed;
  private final AtomicInteger uses = new AtomicInteger();
  private final AtomicInteger missing = new AtomicInteger();
  private volatile Known known;
  private volatile QueryPieces pieces;
  private volatile boolean unfit;

  /** Whether the text may be a COPY FROM STDIN; null before somebody has asked. */
  private volatile Boolean copies;

  /** How many clients have it under a name. */
  private int holders;

  public SharedStatement(NodeStatement statement) {
    this.statement = statement;
    sql = statement.sql();
    malformed = statement.malformed();
    command = TransactionCommand.of(sql);
    explain = command == null ? ExplainCommand.of(sql) : null;
    blank = sql.isBlank() || sql.strip().equals(";");
  }

  /** As nodes see it. */
  public NodeStatement statement() {
    return statement;
  }

  /** The types that its parameters are given in Parse; 0 where the text decides. */
  public List<Integer> givenTypes() {
    return IntStream.of(statement.types()).boxed().toList();
  }

  /** The text. */
  public String sql() {
    return sql;
  }

  /** What it does to transactions; null when it is an ordinary statement. */
  public TransactionCommand command() {
    return command;
  }

  /** What it asks to be explained; null when it is an ordinary statement. */
  public ExplainCommand explain() {
    return explain;
  }

  /** Bytes of the text that are no UTF-8, as {@link Utf8#malformed} tells them; null for none. */
  public String malformed() {
    return malformed;
  }

  /** True when there is nothing to run. */
  public boolean isBlank() {
    return blank;
  }

  /** True when the text may be a COPY FROM STDIN, which PostgreSQL also reads as STDOUT. */
  public boolean mayCopy() {
    Boolean known = copies;
    if (known == null) {
      known = mayCopy(sql);
      copies = known;
    }
    return known;
  }

  /** The same of another text. */
  public static boolean mayCopy(String text) {
    for (int i = 0; i <= text.length() - COPIED.length(); i++) {
      if (text.regionMatches(true, i, COPIED, 0, COPIED.length())) {
        return true;
      }
    }
    return false;
  }

  /** Counts a Parse without a name. */
  public void parsed() {
    if (uses.get() < NAMED_FROM) {
      uses.incrementAndGet();
    }
  }

  /** True when the statement comes often enough to be prepared on nodes under a name. */
  public boolean isFrequent() {
    return uses.get() >= NAMED_FROM;
  }

  /**
   * A client is to have it under a name. Its text is counted once, however many clients have it.
   *
   * @throws AbelianException 53200 when there is no memory for it
   */
  public synchronized void hold(MemoryBudget memory) {
    if (holders == 0) {
      memory.take(heldBytes());
    }
    holders++;
  }

  /** The same for what a client has had before, which is not refused. */
  synchronized void holdAnyway(MemoryBudget memory) {
    if (holders == 0) {
      memory.takeAnyway(heldBytes());
    }
    holders++;
  }

  /** A client has it no longer. */
  public synchronized void release(MemoryBudget memory) {
    holders--;
    if (holders == 0) {
      memory.give(heldBytes());
    }
  }

  /** True when it takes as much as a buffer that is counted. */
  boolean isLarge() {
    return statement.heapBytes() > MemoryBudget.SMALL;
  }

  /** As bytes for nodes and as a string. */
  private long heldBytes() {
    return HELD_LEAST + 2 * statement.heapBytes();
  }

  /** What some session has found out; it may be of another scope. Null before. */
  /** The types of its parameters; 0 for those that are not known. */
  public List<Integer> parameters() {
    Known found = known;
    return found == null ? givenTypes() : found.parameters();
  }

  Known known() {
    return known;
  }

  void known(Known found) {
    known = found;
  }

  /**
   * Counts a text of which this is the template, and that had to be analysed.
   *
   * @return true for each third one: sessions that read it differently displace each other's
   *     analysis, which must not be made for each text
   */
  boolean wasMissing() {
    return missing.incrementAndGet() % MISSING == 0;
  }

  /** True when nodes have refused it as a template. */
  boolean isUnfit() {
    return unfit;
  }

  void unfit() {
    unfit = true;
  }

  /** The statements that the text has, when a node was asked for them; null before. */
  QueryPieces pieces() {
    return pieces;
  }

  void pieces(QueryPieces found) {
    pieces = found;
  }
}
