package org.abelian.advisor.moves;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.abelian.advisor.cluster.Cluster;
import org.abelian.router.catalog.Node;

/** A plan of moves for people. */
final class MoveText {
  /** The JSON has the others as well. */
  private static final int MOST_MOVES = 1000;

  private MoveText() {}

  static String of(MovePlan plan) {
    StringBuilder text = new StringBuilder();
    text.append("Moves to the advised placement (")
        .append(plan.title())
        .append("); none is made.\n");
    for (Node node : plan.nodes()) {
      text.append("  ").append(Cluster.name(node)).append('\n');
    }
    text.append('\n').append(table(plan));
    if (plan.moves().size() > MOST_MOVES) {
      text.append("... and ")
          .append(plan.moves().size() - MOST_MOVES)
          .append(" more moves, which moves.json has\n");
    }
    text.append('\n');
    for (Map.Entry<String, MovePlan.Cost> one : plan.tables().entrySet()) {
      text.append(one.getKey()).append(": ").append(cost(one.getValue())).append('\n');
    }
    text.append("All: ").append(cost(plan.total())).append('\n');
    plan.notes().forEach(note -> text.append("Note: ").append(note).append('\n'));
    return text.toString();
  }

  private static String cost(MovePlan.Cost cost) {
    StringBuilder text =
        new StringBuilder(
            String.format(
                Locale.ROOT,
                "%,d of %,d rows are sent, about %,d bytes",
                cost.sent(),
                cost.rows(),
                cost.bytes()));
    if (cost.deleted() > 0) {
      text.append(String.format(Locale.ROOT, "; %,d copies are deleted", cost.deleted()));
    }
    if (cost.unplaced() > 0) {
      text.append(
          String.format(
              Locale.ROOT,
              "; %,d rows have NULL in one of several distribution columns, and cannot stay",
              cost.unplaced()));
    }
    return text.toString();
  }

  private static String table(MovePlan plan) {
    List<String[]> rows = new ArrayList<>();
    rows.add(new String[] {"action", "table", "from", "to", "rows", "keys"});
    plan.moves().stream()
        .limit(MOST_MOVES)
        .forEach(
            move ->
                rows.add(
                    new String[] {
                      move.action().name().toLowerCase(Locale.ROOT),
                      move.table(),
                      "" + move.from(),
                      move.to() == 0 ? "" : "" + move.to(),
                      String.format(Locale.ROOT, "%,d", move.rows()),
                      move.keys()
                    }));
    int[] widths = new int[rows.get(0).length];
    for (String[] row : rows) {
      for (int column = 0; column < widths.length; column++) {
        widths[column] = Math.max(widths[column], row[column].length());
      }
    }
    StringBuilder text = new StringBuilder();
    for (String[] row : rows) {
      StringBuilder line = new StringBuilder();
      for (int column = 0; column < widths.length; column++) {
        boolean number = column >= 2 && column <= 4;
        line.append(String.format((number ? "%" : "%-") + widths[column] + "s  ", row[column]));
      }
      text.append(line.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }
}
