package org.abelian.histories.check;

import java.util.ArrayList;
import java.util.List;
import org.abelian.histories.program.ColumnSet;
import org.abelian.histories.program.Condition;
import org.abelian.histories.program.Level;
import org.abelian.histories.program.Row;
import org.abelian.histories.program.Statement;
import org.abelian.histories.run.Execution;
import org.abelian.histories.run.Outcome;

/**
 * The events of one session, in the order in which they must happen: a snapshot is taken, a row is
 * acted on, a transaction commits. Everything between two events follows from them and is done by
 * {@link #settle}.
 */
final class SessionRules {
  /** What a session does next. */
  enum Event {
    SNAPSHOT,
    ACT,
    COMMIT,
    NONE
  }

  private static final List<String> NEW_ROW = List.of("new row");

  private final int session;
  private final Level level;
  private final Reads reads;
  private final List<Execution> executions;

  SessionRules(int session, Level level, Reads reads, List<Execution> executions) {
    this.session = session;
    this.level = level;
    this.reads = reads;
    this.executions = executions;
  }

  /** Progress up to the session's first event, or null if that contradicts the record. */
  Progress start() {
    return settle(Progress.atTransaction(0));
  }

  private Execution execution(Progress at) {
    return executions.get(at.transaction());
  }

  private boolean isThrough(Progress at) {
    return at.transaction() == executions.size();
  }

  private boolean atEnd(Progress at) {
    return at.step() == execution(at).statements().size();
  }

  Statement statement(Progress at) {
    return execution(at).transaction().statements().get(at.step());
  }

  private Outcome outcome(Progress at) {
    return execution(at).statements().get(at.step());
  }

  /** The step within whose duration the next event lies. */
  Outcome window(Progress at) {
    return atEnd(at) ? execution(at).end() : outcome(at);
  }

  Event next(Progress at) {
    if (isThrough(at)) {
      return Event.NONE;
    }
    if (atEnd(at)) {
      return Event.COMMIT;
    }
    return at.targets() == null ? Event.SNAPSHOT : Event.ACT;
  }

  /** When the session sends its next successful COMMIT, or the end of time. */
  long nextCommitSent(Progress at) {
    for (int i = at.transaction(); i < executions.size(); i++) {
      if (executions.get(i).committed()) {
        return executions.get(i).end().sent();
      }
    }
    return Long.MAX_VALUE;
  }

  /** A plain read that needs nothing but a snapshot, which it does not keep. */
  boolean isFleetingRead(Progress at) {
    return !level.keepsSnapshot()
        && reads == Reads.SNAPSHOT
        && next(at) == Event.SNAPSHOT
        && at.effects().isEmpty()
        && Semantics.isPlainRead(statement(at));
  }

  /** Does what needs no event; null if an answer contradicts what the session must have seen. */
  private Progress settle(Progress start) {
    Progress at = start;
    while (at != null && !isThrough(at)) {
      if (atEnd(at)) {
        if (execution(at).committed()) {
          return at;
        }
        at = Progress.atTransaction(at.transaction() + 1);
      } else if (at.targets() != null) {
        if (!at.targets().isEmpty()) {
          return at;
        }
        at = finish(at);
      } else if (statement(at) instanceof Statement.Savepoint control && !outcome(at).failed()) {
        at = control(at, control).atNextStep(level.keepsSnapshot());
      } else if (needsSnapshot(at)) {
        return at;
      } else {
        at = begin(at);
      }
    }
    return at;
  }

  private boolean needsSnapshot(Progress at) {
    if (at.snapshot() != null) {
      return false;
    }
    return level.keepsSnapshot()
        || !outcome(at).failed() && !(statement(at) instanceof Statement.Insert);
  }

  private static Progress control(Progress at, Statement.Savepoint control) {
    return switch (control.action()) {
      case SET -> at.withSavepoint();
      case ROLLBACK_TO -> at.rolledBackToSavepoint();
      case RELEASE -> at;
    };
  }

  /** Finds the statement's rows in its snapshot. */
  private Progress begin(Progress at) {
    Statement statement = statement(at);
    if (outcome(at).failed()) {
      return at.rolledBackToSavepoint().atNextStep(level.keepsSnapshot());
    }
    if (statement instanceof Statement.Insert) {
      return at.withTargets(NEW_ROW);
    }
    State view = at.over(at.snapshot());
    if (statement instanceof Statement.Copy copy) {
      return at.withTargets(view.byId(copy.from()) == null ? List.of() : NEW_ROW);
    }
    Condition condition = Semantics.condition(statement);
    List<Row> rows = Semantics.matching(condition, view);
    if (isStrictRead(statement)) {
      rows = Semantics.matching(condition.onPlainColumns(), view);
    } else if (statement instanceof Statement.Select select && !select.forUpdate()) {
      return Semantics.explains(statement, rows, outcome(at).answer()) ? read(at, select) : null;
    }
    return at.withTargets(rows.stream().map(Row::incarnation).toList());
  }

  /**
   * A plain read takes no lock. But a column that its own transaction has changed before stays as
   * it was read until the end, since over plain columns the change has locked the row. Under
   * SERIALIZABLE the order of the transactions decides alone.
   */
  private Progress read(Progress at, Statement.Select select) {
    List<Effect> relied = new ArrayList<>();
    for (Row row : at.over(at.snapshot()).rows().values()) {
      int changed = ColumnSet.whole(at.changedColumns(row));
      if (changed != ColumnSet.NONE
          && level != Level.SERIALIZABLE
          && select.where().ids().contains(row.id())) {
        Effect effect = Semantics.reading(select, row, changed);
        if (isOutdated(at, effect)) {
          return null;
        }
        relied.add(effect);
      }
    }
    return at.relyingOn(relied).atNextStep(level.keepsSnapshot());
  }

  private Progress finish(Progress at) {
    return Semantics.explains(statement(at), at.rows(), outcome(at).answer())
        ? at.atNextStep(level.keepsSnapshot())
        : null;
  }

  /** Takes the snapshot; null if the answers contradict it. */
  Progress snapshot(Progress at, State committed) {
    Progress begun = begin(at.withSnapshot(committed));
    return begun == null ? null : settle(begun);
  }

  Progress afterCommit(Progress at) {
    return settle(Progress.atTransaction(at.transaction() + 1));
  }

  /** Remembers what another transaction has committed, if a snapshot is being kept. */
  Progress noteForeign(Progress at, List<Footprint> written) {
    return level.keepsSnapshot() && at.snapshot() != null ? at.withForeign(written) : at;
  }

  /** Acts on the next row; null if that is impossible or contradicts the answer. */
  Progress act(Progress at, State committed) {
    Statement statement = statement(at);
    Progress acted;
    if (statement instanceof Statement.Insert insert) {
      acted = insert(at, committed, insert);
    } else if (statement instanceof Statement.Copy copy) {
      acted = copy(at, committed, copy);
    } else if (isStrictRead(statement)) {
      acted = readStrictly(at, committed, (Statement.Select) statement);
    } else {
      acted = change(at, committed, statement);
    }
    return acted == null ? null : settle(acted);
  }

  /**
   * READ COMMITTED: the newest version counts, if it still matches. Else the version of the
   * snapshot counts, and nobody may have interfered since.
   */
  private Progress change(Progress at, State committed, Statement statement) {
    State view = at.over(level.keepsSnapshot() ? at.snapshot() : committed);
    Row row = view.byIncarnation(at.targets().get(0));
    if (row == null || !Semantics.condition(statement).matches(row)) {
      return at.acted(null, null);
    }
    Effect effect = Semantics.onRow(statement, row);
    if (!level.keepsSnapshot()) {
      effect = effect.withoutIdleAdditions(row); // Under one snapshot they are done as others are.
    }
    if (isOutdated(at, effect)) {
      return null;
    }
    Row after = view.plus(List.of(effect)).byIncarnation(row.incarnation());
    return at.acted(effect, after == null ? row : after);
  }

  private Progress copy(Progress start, State committed, Statement.Copy copy) {
    Row source = start.over(start.snapshot()).byId(copy.from());
    Progress at = start;
    if (reads == Reads.STRICT) {
      StrictRead strict = strictRules(start, committed);
      source = strict.seen(source);
      Effect held = source == null ? null : strict.hold(copy.source(), source);
      if (source == null || held != null && isOutdated(start, held)) {
        return null;
      }
      at = held == null ? start : start.relyingOn(List.of(held));
    }
    Row target = new Row(copy.to(), "", source.values());
    return insert(
        at, committed, new Statement.Insert(target, Statement.OnConflict.DO_NOTHING, List.of()));
  }

  private boolean isStrictRead(Statement statement) {
    return reads == Reads.STRICT && Semantics.isPlainRead(statement);
  }

  private StrictRead strictRules(Progress at, State committed) {
    return new StrictRead(at, at.over(level.keepsSnapshot() ? at.snapshot() : committed), level);
  }

  /** Reads the next row that the snapshot shows, and holds what was read of its counters. */
  private Progress readStrictly(Progress at, State committed, Statement.Select select) {
    StrictRead strict = strictRules(at, committed);
    Row row = strict.seen(at.over(at.snapshot()).byIncarnation(at.targets().get(0)));
    if (row == null) {
      return null;
    }
    Effect held = strict.hold(select, row);
    if (held != null && isOutdated(at, held)) {
      return null;
    }
    return at.acted(held, select.where().matches(row) ? row : null);
  }

  private static boolean isOutdated(Progress at, Effect effect) {
    return at.foreign().stream().anyMatch(f -> f.outdates(effect.footprint()));
  }

  /** Whether the key is free is a question to the newest state at every level. */
  private Progress insert(Progress at, State committed, Statement.Insert insert) {
    Row present = at.over(committed).byId(insert.row().id());
    if (present == null) {
      String incarnation = session + "." + at.transaction() + "." + at.step();
      return at.acted(Semantics.insertion(insert.row(), incarnation), insert.row());
    }
    Row visible =
        level.keepsSnapshot()
            ? at.over(at.snapshot()).byIncarnation(present.incarnation())
            : present;
    if (insert.onConflict() == Statement.OnConflict.FAIL || visible == null) {
      return null;
    }
    if (insert.onConflict() == Statement.OnConflict.DO_NOTHING) {
      return at.acted(null, null);
    }
    Effect effect = Semantics.change(visible, insert.set(), 0);
    return isOutdated(at, effect) ? null : at.acted(effect, visible);
  }
}
