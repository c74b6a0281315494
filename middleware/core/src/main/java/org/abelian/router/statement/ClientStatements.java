package org.abelian.router.statement;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.error.AbelianException;
import org.abelian.router.execution.ClientError;
import org.abelian.router.protocol.CString;
import org.abelian.router.protocol.ErrorFields;
import org.abelian.router.protocol.MemoryBudget;

/**
 * The statements that a client has parsed, by its names for them. Names of the form {@code S_<n>},
 * which the JDBC driver gives, are looked up without making a string.
 */
public final class ClientStatements {
  /** A client that never closes statements shall hurt only itself. */
  private static final int LIMIT = 100_000;

  private static final int LARGEST_NUMBER = 65_535;

  /**
   * One that has a name.
   *
   * @param at when it was prepared
   * @param command the PREPARE that did it; null for a Parse
   * @param signature what was known of it then
   */
  public record Prepared(
      SharedStatement statement, Instant at, String command, Signature signature) {}

  /**
   * What a statement takes and returns when it is parsed, and as long as the client has it.
   *
   * @param inferred the types of its parameters; null when the client has given all of them
   * @param result its columns, as {@link StatementFacts#result} tells them; null when unknown
   * @param settled as {@link StatementFacts#settled} tells it
   * @param literals how literals were read then; null when they mean the same to all
   */
  public record Signature(List<Integer> inferred, String result, String settled, String literals) {
    /** Of what takes and returns nothing. */
    public static final Signature NONE = new Signature(null, null, null, null);

    /**
     * That of a statement.
     *
     * @param facts what is known of it now
     * @param literals how literals are read now
     */
    public static Signature of(SharedStatement statement, StatementFacts facts, String literals) {
      boolean given = facts.parameters().equals(statement.givenTypes());
      return new Signature(
          given ? null : facts.parameters(),
          facts.result(),
          facts.settled(),
          facts.settled() == null ? null : literals);
    }
  }

  /**
   * The one without a name, if there is one.
   *
   * @param statement null when there is none
   * @param signature what was known of it when it was parsed
   */
  record Unnamed(SharedStatement statement, Signature signature) {
    private static final Unnamed NONE = new Unnamed(null, Signature.NONE);

    private boolean isLarge() {
      return statement != null && statement.isLarge();
    }
  }

  private final MemoryBudget memory;

  /** As far as the group is planned. */
  private Unnamed unnamed = Unnamed.NONE;

  /** As far as the group is answered: what comes behind an error is skipped. */
  private Unnamed answered = Unnamed.NONE;

  /** When the group began. */
  private Unnamed former = Unnamed.NONE;

  private Prepared[] numbered = new Prepared[64];
  private final Map<String, Prepared> named = new HashMap<>();

  /** None yet; what the client names is counted. */
  public ClientStatements(MemoryBudget memory) {
    this.memory = memory;
  }

  /** The statement of the name between two indexes, or null. */
  public SharedStatement get(byte[] array, int from, int to) {
    if (from == to) {
      return unnamed.statement();
    }
    Prepared prepared = prepared(array, from, to);
    return prepared == null ? null : prepared.statement();
  }

  /**
   * False when a statement returns other columns than when it was prepared: a client may have kept
   * what it was told of them, and would read others as these.
   *
   * @param result what it returns now
   */
  public boolean returnsAsBefore(byte[] array, int from, int to, String result) {
    String before = signature(array, from, to).result();
    return before == null || result == null || before.equals(result);
  }

  /**
   * The same.
   *
   * @throws ClientError 0A000 when it does
   */
  public void requireSame(byte[] array, int from, int to, String result) {
    if (!returnsAsBefore(array, from, to, result)) {
      throw new ClientError(
          ErrorFields.of("ERROR", "0A000", "cached plan must not change result type")
              .with(ErrorFields.ROUTINE, ErrorFields.CACHED_PLAN_ROUTINE));
    }
  }

  /** What was known of a statement when it was parsed. */
  public Signature signature(byte[] array, int from, int to) {
    Prepared prepared = from == to ? null : prepared(array, from, to);
    return prepared == null ? unnamed.signature() : prepared.signature();
  }

  /** Has another text, or other types that are given, stand for a statement. */
  public void replace(
      byte[] array, int from, int to, SharedStatement statement, Signature signature) {
    if (from == to) {
      unnamed(new Unnamed(statement, signature));
      return;
    }
    Prepared before = prepared(array, from, to);
    statement.hold(memory);
    before.statement().release(memory);
    put(array, from, to, new Prepared(statement, before.at(), before.command(), signature));
  }

  private Prepared prepared(byte[] array, int from, int to) {
    int number = number(array, from, to);
    if (number >= 0) {
      return number < numbered.length ? numbered[number] : null;
    }
    return named.get(CString.name(array, from, to));
  }

  /** The statement of that name, or null. */
  Prepared prepared(String name) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    return prepared(bytes, 0, bytes.length);
  }

  /** Those that have names, by these. */
  public Map<String, Prepared> all() {
    Map<String, Prepared> all = new TreeMap<>(named);
    for (int number = 0; number < numbered.length; number++) {
      if (numbered[number] != null) {
        all.put("S_" + number, numbered[number]);
      }
    }
    return all;
  }

  /**
   * Defines a statement.
   *
   * @param command the PREPARE that does it; null for a Parse
   * @param signature what it takes and returns
   * @throws ClientError 42P05 when the name is taken
   * @throws AbelianException 53200 when there is no memory for it
   */
  public void define(
      byte[] array,
      int from,
      int to,
      SharedStatement statement,
      String command,
      Signature signature) {
    if (from == to) {
      unnamed(new Unnamed(statement, signature));
      return;
    }
    if (get(array, from, to) != null) {
      throw ClientError.of(
          "42P05", "prepared statement \"" + CString.read(array, from, to) + "\" already exists");
    }
    if (named.size() >= LIMIT) {
      throw ClientError.of("53400", "too many prepared statements in one session");
    }
    statement.hold(memory);
    put(array, from, to, new Prepared(statement, Instant.now(), command, signature));
  }

  /** Forgets a statement. */
  public void remove(byte[] array, int from, int to) {
    if (from == to) {
      unnamed(Unnamed.NONE);
    } else {
      SharedStatement removed = get(array, from, to);
      if (removed != null) {
        removed.release(memory);
        put(array, from, to, null);
      }
    }
  }

  /** Small ones are not counted: a client has one of them. */
  private void unnamed(Unnamed defined) {
    release(unnamed);
    unnamed = Unnamed.NONE;
    if (defined.isLarge()) {
      defined.statement().hold(memory);
    }
    unnamed = defined;
  }

  /** Counts one that was there before, which is not refused for want of memory. */
  private Unnamed instead(Unnamed kept, Unnamed now) {
    if (kept != now) {
      if (now.isLarge()) {
        now.statement().holdAnyway(memory);
      }
      release(kept);
    }
    return now;
  }

  private void release(Unnamed kept) {
    if (kept.isLarge()) {
      kept.statement().release(memory);
    }
  }

  /** Forgets the one without a name, as a simple query does, which waits for what comes before. */
  public void removeUnnamed() {
    unnamed(Unnamed.NONE);
    answered(unnamed);
  }

  /** The one without a name, as far as the group is planned. */
  Unnamed unnamed() {
    return unnamed;
  }

  /** A Parse or Close of the one without a name has been answered: it is that one from now on. */
  void answered(Unnamed defined) {
    answered = instead(answered, defined);
  }

  /** A group of messages begins. */
  public void beginGroup() {
    answered = instead(answered, unnamed);
    former = instead(former, unnamed);
  }

  /** It ends: what an error in it had skipped was not done. It may still run again. */
  public void endGroup() {
    unnamed = instead(unnamed, answered);
  }

  /** It runs again, from what was when it began. */
  public void groupRunsAgain() {
    unnamed = instead(unnamed, former);
  }

  /** It does not run again. */
  public void groupIsOver() {
    former = instead(former, unnamed);
  }

  private void put(byte[] array, int from, int to, Prepared statement) {
    int number = number(array, from, to);
    if (number >= 0) {
      if (number >= numbered.length) {
        numbered = Arrays.copyOf(numbered, Math.max(number + 1, numbered.length * 2));
      }
      numbered[number] = statement;
    } else if (statement == null) {
      named.remove(CString.name(array, from, to));
    } else {
      named.put(CString.name(array, from, to), statement);
    }
  }

  /** Forgets the statement of that name; false when there is none. */
  public boolean remove(String name) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    boolean known = get(bytes, 0, bytes.length) != null;
    remove(bytes, 0, bytes.length);
    return known;
  }

  /** Takes the name from a statement, which keeps its memory; null when there is none. */
  Prepared take(String name) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    Prepared taken = prepared(bytes, 0, bytes.length);
    if (taken != null) {
      put(bytes, 0, bytes.length, null);
    }
    return taken;
  }

  /** Forgets one that was taken; null does nothing. */
  void release(Prepared taken) {
    if (taken != null) {
      taken.statement().release(memory);
    }
  }

  /** Gives one that was taken its name again, in the place of what has it now. */
  void restore(String name, Prepared taken) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    remove(bytes, 0, bytes.length);
    put(bytes, 0, bytes.length, taken);
  }

  /** Gives up all memory. */
  public void free() {
    removeUnnamed();
    groupIsOver();
    clear();
  }

  /** Forgets all that have names; the unnamed one stays, as DEALLOCATE ALL leaves it. */
  public void clear() {
    for (Prepared prepared : numbered) {
      if (prepared != null) {
        prepared.statement().release(memory);
      }
    }
    Arrays.fill(numbered, null);
    named.values().forEach(prepared -> prepared.statement().release(memory));
    named.clear();
  }

  /** The n of S_n in canonical form; -1 for other names. */
  private static int number(byte[] array, int from, int to) {
    int length = to - from;
    if (length < 3 || length > 7 || array[from] != 'S' || array[from + 1] != '_') {
      return -1;
    }
    if (array[from + 2] == '0' && length > 3) {
      return -1;
    }
    int number = 0;
    for (int i = from + 2; i < to; i++) {
      int digit = array[i] - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      number = number * 10 + digit;
    }
    return number <= LARGEST_NUMBER ? number : -1;
  }
}
