package org.abelian.histories.check;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.abelian.histories.program.Row;
import org.abelian.histories.program.Statement;
import org.abelian.histories.run.Execution;
import org.abelian.histories.run.History;
import org.abelian.histories.run.Outcome;

/**
 * SERIALIZABLE: is there an order of the committed transactions in which, run one after the other,
 * they give all recorded answers? Real time does not bind the order, as in PostgreSQL.
 */
final class SerialOrder {
  private record Reached(Set<Integer> done, State state) {}

  private final List<Row> initial;
  private final List<Execution> committed = new ArrayList<>();
  private final Set<Reached> failed = new HashSet<>();

  SerialOrder(History history) {
    initial = history.program().rows();
    for (List<Execution> session : history.sessions()) {
      session.stream().filter(Execution::committed).forEach(committed::add);
    }
  }

  boolean exists() {
    return search(Set.of(), State.of(initial.stream().map(SerialOrder::initial).toList()));
  }

  private static Row initial(Row row) {
    return new Row(row.id(), "initial" + row.id(), row.values());
  }

  private boolean search(Set<Integer> done, State state) {
    if (done.size() == committed.size()) {
      return true;
    }
    if (failed.contains(new Reached(done, state))) {
      return false;
    }
    for (int i = 0; i < committed.size(); i++) {
      if (!done.contains(i)) {
        State after = run(i, state);
        if (after != null) {
          Set<Integer> next = new HashSet<>(done);
          next.add(i);
          if (search(next, after)) {
            return true;
          }
        }
      }
    }
    failed.add(new Reached(done, state));
    return false;
  }

  /** The state after the transaction, or null if its answers do not fit this state. */
  private State run(int index, State start) {
    Execution execution = committed.get(index);
    State state = start;
    State savepoint = start;
    for (int step = 0; step < execution.statements().size(); step++) {
      Statement statement = execution.transaction().statements().get(step);
      Outcome outcome = execution.statements().get(step);
      if (outcome.failed()) {
        state = savepoint;
      } else if (statement instanceof Statement.Savepoint control) {
        switch (control.action()) {
          case SET -> savepoint = state;
          case ROLLBACK_TO -> state = savepoint;
          case RELEASE -> {}
        }
      } else {
        state = apply(statement, outcome, state, index + "." + step);
        if (state == null) {
          return null;
        }
      }
    }
    return state;
  }

  private static State apply(Statement statement, Outcome outcome, State state, String name) {
    List<Effect> effects = new ArrayList<>();
    List<Row> rows = new ArrayList<>();
    if (Semantics.condition(statement) != null) {
      for (Row row : Semantics.matching(Semantics.condition(statement), state)) {
        Effect effect = Semantics.onRow(statement, row);
        effects.add(effect);
        Row after = state.plus(List.of(effect)).byIncarnation(row.incarnation());
        rows.add(after == null ? row : after);
      }
    } else if (statement instanceof Statement.Insert insert) {
      Row present = state.byId(insert.row().id());
      if (present == null) {
        effects.add(Semantics.insertion(insert.row(), name));
      } else if (insert.onConflict() == Statement.OnConflict.DO_UPDATE) {
        effects.add(Semantics.change(present, insert.set(), 0));
      } else if (insert.onConflict() == Statement.OnConflict.FAIL) {
        return null;
      }
      effects.forEach(e -> rows.add(insert.row()));
    } else if (statement instanceof Statement.Copy copy) {
      Row source = state.byId(copy.from());
      if (source != null && state.byId(copy.to()) == null) {
        Row target = new Row(copy.to(), name, source.values());
        effects.add(Semantics.insertion(target, name));
        rows.add(target);
      }
    }
    return Semantics.explains(statement, rows, outcome.answer()) ? state.plus(effects) : null;
  }
}
