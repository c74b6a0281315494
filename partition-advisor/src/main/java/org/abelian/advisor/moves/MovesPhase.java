package org.abelian.advisor.moves;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.abelian.advisor.AdvisorException;
import org.abelian.advisor.census.Census;
import org.abelian.advisor.census.CensusFiles;
import org.abelian.advisor.files.Engine;
import org.abelian.advisor.files.JsonFile;
import org.abelian.advisor.files.OutputFolder;
import org.abelian.advisor.placement.Candidate;
import org.abelian.advisor.placement.Distribution;
import org.abelian.advisor.placement.Lookups;
import org.abelian.advisor.placement.RowPlacement;
import org.abelian.advisor.placement.TablePlacement;
import org.abelian.advisor.trace.TraceDescription;
import org.abelian.advisor.trace.TraceTable;
import org.abelian.advisor.workload.TupleIdentity;

/** Compares where rows lie with where they would lie. */
public final class MovesPhase {
  /** Rows with NULL in the only distribution column lie in partition 0, whatever the placement. */
  private static final int NODE_OF_NULL = 0;

  private final Map<String, TraceTable> tables;
  private final Candidate candidate;
  private final Census census;
  private final RowPlacement placement;
  private final Map<Move, Long> moves = new HashMap<>();
  private final Map<String, MovePlan.Cost> costs = new TreeMap<>();

  private MovesPhase(
      TraceDescription trace, Candidate candidate, Lookups lookups, int nodes, Census census) {
    if (nodes != census.nodes().size()) {
      throw new AdvisorException(
          "the advice is for "
              + nodes
              + " nodes, and the cluster has "
              + census.nodes().size()
              + ": advise again with --nodes "
              + census.nodes().size());
    }
    tables = trace.tablesById();
    this.candidate = candidate;
    this.census = census;
    placement = new RowPlacement(lookups, nodes);
  }

  /**
   * Reads a census and a placement, and writes moves.json and moves.txt.
   *
   * @param nodes how many the placement is for
   */
  public static MovePlan run(
      TraceDescription trace,
      Candidate candidate,
      Lookups lookups,
      int nodes,
      CensusFiles counted,
      OutputFolder output) {
    MovePlan plan =
        new MovesPhase(trace, candidate, lookups, nodes, counted.census()).plan(counted);
    try {
      JsonFile.write(output.file("moves.json"), plan);
      Files.writeString(output.file("moves.txt"), MoveText.of(plan));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    output.finish();
    return plan;
  }

  private MovePlan plan(CensusFiles counted) {
    try (Engine engine = Engine.open()) {
      engine.each(
          "SELECT table_name, node, key, count FROM "
              + Engine.parquet(counted.rows())
              + " WHERE count > 0",
          row -> add(row.getString(1), row.getInt(2), row.getString(3), row.getLong(4)));
    }
    List<Move> all = new ArrayList<>();
    moves.forEach(
        (move, rows) ->
            all.add(
                new Move(move.action(), move.table(), move.keys(), move.from(), move.to(), rows)));
    all.sort(
        Comparator.comparing(Move::table)
            .thenComparingInt(Move::from)
            .thenComparingInt(Move::to)
            .thenComparing(Move::keys));
    return new MovePlan(
        candidate.name(), candidate.title(), census.nodes(), all, costs, census.notes());
  }

  /** Rows with the same key on the same node. */
  private void add(String id, int node, String key, long rows) {
    TraceTable table = tables.get(id);
    TablePlacement placed = candidate.tables().get(id);
    Map<String, String> values = values(census.columns().get(id), key);
    UnaryOperator<String> value = values::get;
    boolean copied = census.everywhere().contains(id);
    costs.merge(id, new MovePlan.Cost(rows, 0, 0, 0, 0), MovePlan.Cost::plus);
    int to = placement.node(table, placed, value);
    String absent = null;
    if (to == RowPlacement.UNKNOWN) {
      List<String> columns = Distribution.columns(table, placed);
      if (columns.size() != 1) {
        costs.merge(id, new MovePlan.Cost(0, 0, 0, rows, 0), MovePlan.Cost::plus);
        return;
      }
      absent = columns.get(0);
      to = NODE_OF_NULL;
    }
    boolean everywhere = to == RowPlacement.EVERYWHERE;
    if (copied && everywhere || !copied && to == node) {
      return;
    }
    String unit = absent == null ? placement.unit(table, placed, value) : absent + " IS NULL";
    if (!copied && !everywhere) {
      add(Move.Action.MOVE, table, unit, node, to, rows);
      return;
    }
    for (int other = 0; other < census.nodes().size(); other++) {
      if (everywhere && other != node) {
        add(Move.Action.COPY, table, unit, node, other, rows);
      } else if (copied && other != to) {
        add(Move.Action.DELETE, table, unit, other, -1, rows);
      }
    }
  }

  private void add(Move.Action action, TraceTable table, String keys, int from, int to, long rows) {
    int receiver = to < 0 ? 0 : census.nodes().get(to).id();
    moves.merge(
        new Move(action, table.id(), keys, census.nodes().get(from).id(), receiver, 0),
        rows,
        Long::sum);
    boolean sends = action != Move.Action.DELETE;
    costs.merge(
        table.id(),
        new MovePlan.Cost(
            0, sends ? rows : 0, sends ? 0 : rows, 0, sends ? rows * table.rowBytes() : 0),
        MovePlan.Cost::plus);
  }

  private static Map<String, String> values(List<String> columns, String key) {
    Map<String, String> values = new HashMap<>();
    int from = 0;
    for (String column : columns) {
      int end = key.indexOf(TupleIdentity.SEPARATOR, from);
      end = end < 0 ? key.length() : end;
      String text = key.substring(from, end);
      if (!text.equals(TupleIdentity.UNKNOWN)) {
        values.put(column, text);
      }
      from = end + 1;
    }
    return values;
  }
}
