package org.abelian.histories.check;

import java.util.ArrayList;
import java.util.List;
import org.abelian.histories.program.ColumnSet;
import org.abelian.histories.program.Row;

/**
 * How far one session has come in a supposed order of events. Immutable.
 *
 * @param transaction index of the transaction, equal to their number when the session is through
 * @param step index of the statement
 * @param snapshot what the statement or the transaction reads from, or null before it is taken
 * @param effects of the transaction so far that have not been rolled back to a savepoint
 * @param savepoint number of effects at the savepoint
 * @param targets incarnations of rows that the statement has found and not yet acted on; null if
 *     the statement has not begun
 * @param rows that the statement has returned or affected so far
 * @param foreign what others have committed since the snapshot of a transaction that keeps it
 */
record Progress(
    int transaction,
    int step,
    State snapshot,
    List<Effect> effects,
    int savepoint,
    List<String> targets,
    List<Row> rows,
    List<Footprint> foreign) {

  static Progress atTransaction(int transaction) {
    return new Progress(transaction, 0, null, List.of(), 0, null, List.of(), List.of());
  }

  Progress withSnapshot(State taken) {
    return new Progress(transaction, step, taken, effects, savepoint, targets, rows, foreign);
  }

  Progress withTargets(List<String> found) {
    return new Progress(
        transaction, step, snapshot, effects, savepoint, List.copyOf(found), rows, foreign);
  }

  Progress withForeign(List<Footprint> committed) {
    return new Progress(
        transaction, step, snapshot, effects, savepoint, targets, rows, joined(foreign, committed));
  }

  Progress withSavepoint() {
    return new Progress(
        transaction, step, snapshot, effects, effects.size(), targets, rows, foreign);
  }

  Progress rolledBackToSavepoint() {
    List<Effect> kept = effects.subList(0, savepoint);
    return new Progress(
        transaction, step, snapshot, List.copyOf(kept), savepoint, targets, rows, foreign);
  }

  /** After acting on the first target; effect and row are null if it was passed over. */
  Progress acted(Effect effect, Row row) {
    return new Progress(
        transaction,
        step,
        snapshot,
        effect == null ? effects : joined(effects, List.of(effect)),
        savepoint,
        targets.subList(1, targets.size()),
        row == null ? rows : joined(rows, List.of(row)),
        foreign);
  }

  Progress relyingOn(List<Effect> reads) {
    return new Progress(
        transaction, step, snapshot, joined(effects, reads), savepoint, targets, rows, foreign);
  }

  /** The columns of the row that the transaction has changed. */
  int changedColumns(Row row) {
    int columns = ColumnSet.NONE;
    for (Effect effect : effects) {
      Footprint footprint = effect.footprint();
      if (footprint.incarnation().equals(row.incarnation())) {
        columns |= footprint.sets() | footprint.adds();
      }
    }
    return columns;
  }

  Progress atNextStep(boolean keepSnapshot) {
    return new Progress(
        transaction,
        step + 1,
        keepSnapshot ? snapshot : null,
        effects,
        savepoint,
        null,
        List.of(),
        foreign);
  }

  /** What the transaction sees when its own effects are laid over a state. */
  State over(State state) {
    return state.plus(effects);
  }

  private static <T> List<T> joined(List<T> first, List<T> second) {
    List<T> all = new ArrayList<>(first);
    all.addAll(second);
    return List.copyOf(all);
  }
}
