package org.abelian.router.statement;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.abelian.router.backend.Reading;
import org.abelian.router.backend.SessionSettings;
import org.abelian.router.backend.SettingsSnapshot;
import org.abelian.router.pool.NodeIdentity;

/**
 * Tells sessions apart that may read the same text differently: by role and database, by the
 * settings that decide what names and literals mean, by temporary objects and uncommitted changes
 * of the schema. Not thread-safe.
 */
public final class SchemaScope implements Reading {
  /** Settings that change what a text means, or what is told of it. */
  private static final List<String> MEANING =
      List.of(
          "search_path",
          "role",
          "session_authorization",
          "standard_conforming_strings",
          "transform_null_equals",
          "row_security",
          "session_replication_role",
          // What literals mean: the analysis tells their values.
          "DateStyle",
          "TimeZone",
          "IntervalStyle",
          "array_nulls",
          "lc_monetary",
          "xmloption",
          // Whether rows can move from node to node without loss.
          "extra_float_digits",
          // How statements of several nodes are divided.
          "abelian.plan_exchanges",
          "abelian.min_broadcast_size");

  /** Those of them that decide which values literals have. */
  private static final List<String> LITERALS =
      List.of(
          "standard_conforming_strings",
          "transform_null_equals",
          "DateStyle",
          "TimeZone",
          "IntervalStyle",
          "array_nulls",
          "lc_monetary",
          "xmloption");

  /** The same as the analysis of SET writes them. */
  private static final Set<String> MEANT = lowerCase(MEANING);

  private static final Set<String> LITERALS_MEANT = lowerCase(LITERALS);

  /** As {@link #LITERALS_MEANT}, and those that decide what names stand for. */
  private static final Set<String> PREPARED_MEANT =
      Stream.concat(LITERALS_MEANT.stream(), Stream.of("search_path", "role"))
          .collect(Collectors.toUnmodifiableSet());

  private final String identity;
  private final SessionSettings settings;
  private final Function<Collection<String>, String> changes;

  /** A state of a schema that only the transaction sees which has made it. */
  static final class Uncommitted {
    private final int branch;

    private Uncommitted(int branch) {
      this.branch = branch;
    }

    /** True when nothing was taken back between the two. */
    boolean follows(Uncommitted other) {
      return other != null && branch == other.branch;
    }
  }

  /** Set while this session sees changes of the schema that are not committed. */
  private Uncommitted uncommitted;

  /** How often changes were taken back, by the end of a transaction or to a savepoint. */
  private int branch;

  /** Set while this session has temporary objects; they are on the first node. */
  private Object temporary;

  /** True when the open transaction may have made or dropped temporary objects. */
  private boolean temporaryChanged;

  private String shared;
  private String sharedLiterals;
  private SettingsSnapshot sharedSettings;

  /**
   * The session sees what all of its role see.
   *
   * @param settings what the session has set
   * @param changes the statements by which its open transaction has set some of these settings;
   *     empty when it has not
   */
  public SchemaScope(
      NodeIdentity identity,
      SessionSettings settings,
      Function<Collection<String>, String> changes) {
    this.identity = identity.startup().toString();
    this.settings = settings;
    this.changes = changes;
  }

  /** How a session reads texts that sees what others do not. */
  private record Own(Object seen, String read) {}

  /** Equal for sessions that read all texts alike. */
  Object current() {
    return isOwn() ? new Own(uncommitted != null ? uncommitted : temporary, read()) : read();
  }

  /** Equal for sessions that would read all texts alike if they saw the same. */
  private String read() {
    renew();
    return withChanges(shared, MEANT);
  }

  /** What decides which values literals have; equal where it is the same. */
  public String literals() {
    renew();
    return withChanges(sharedLiterals, LITERALS_MEANT);
  }

  private void renew() {
    SettingsSnapshot now = settings.snapshot();
    if (now != sharedSettings) {
      shared = values(identity, now, MEANING);
      sharedLiterals = values("", now, LITERALS);
      sharedSettings = now;
    }
  }

  private static String values(String before, SettingsSnapshot settings, List<String> names) {
    StringBuilder text = new StringBuilder(before);
    for (String name : names) {
      String value = settings.wanted().value(name);
      text.append('\0').append(value == null ? "" : "=" + value);
    }
    return text.toString().intern();
  }

  /** The transaction's own changes of these settings, too. */
  private String withChanges(String values, Set<String> names) {
    String made = changes.apply(names);
    return made.isEmpty() ? values : values + "\0" + made;
  }

  @Override
  public String preparedBy() {
    renew();
    return withChanges(sharedLiterals, PREPARED_MEANT);
  }

  private static Set<String> lowerCase(List<String> names) {
    return names.stream().map(name -> name.toLowerCase(Locale.ROOT)).collect(Collectors.toSet());
  }

  /** True when only a node of the session's own transaction, or its own objects, can tell. */
  public boolean needsOwnNode() {
    return temporary != null || isChangedByTransaction();
  }

  /** True when the open transaction has set what decides what a text means. */
  public boolean isChangedByTransaction() {
    return !changes.apply(MEANT).isEmpty();
  }

  /** A transaction ended, and with it what only it saw. */
  public void transactionEnded() {
    if (uncommitted != null) {
      uncommitted = null;
      branch++;
    }
    if (temporaryChanged) {
      temporary = new Object(); // Taken back, or dropped by ON COMMIT DROP.
      temporaryChanged = false;
    }
  }

  /** This session sees a schema that others do not see yet. */
  public void seesUncommittedSchema() {
    uncommitted = new Uncommitted(branch);
  }

  /** The transaction went back to a savepoint, perhaps behind changes of the schema. */
  public void wentBack() {
    if (temporaryChanged) {
      temporary = new Object();
    }
    if (uncommitted != null) {
      branch++;
      seesUncommittedSchema();
    }
  }

  /** True when the open transaction has changed the schema. */
  public boolean hasChangedSchema() {
    return uncommitted != null;
  }

  /** What only this session sees; null when it sees what all see. */
  Uncommitted uncommitted() {
    return uncommitted;
  }

  /** This session has temporary objects, or other ones than before. */
  public void seesTemporaryObjects() {
    temporary = new Object();
    temporaryChanged = true;
    if (uncommitted != null) {
      seesUncommittedSchema(); // A temporary object may stand before one that was seen already.
    }
  }

  /** True while this session has temporary objects. */
  public boolean hasTemporaryObjects() {
    return temporary != null;
  }

  @Override
  public Object temporaryObjects() {
    return temporary;
  }

  /** True while a text may mean something else to this session than to others. */
  public boolean isOwn() {
    return uncommitted != null || temporary != null;
  }

  /** The session has no objects of its own any more. */
  public void seesWhatAllSee() {
    transactionEnded();
    temporary = null;
    temporaryChanged = false;
  }
}
