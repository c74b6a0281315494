package org.abelian.router.procedure;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.abelian.router.analysis.BlindCallFacts;
import org.abelian.router.analysis.Value;
import org.abelian.router.json.Json;
import org.abelian.router.session.ClassChoice;

/**
 * The blind operations of a call with its arguments.
 *
 * @param items the operations, in the body's order
 * @param types of the call's arguments
 * @param values the arguments in text form
 */
public record CommutingWork(List<Item> items, List<Integer> types, List<String> values) {

  /**
   * An operation.
   *
   * @param node where its row lies
   * @param row what it names
   * @param sql its text; refers to the call's arguments
   */
  public record Item(int node, CallObject row, String sql) {}

  /** Of a call that is nothing else. */
  public static CommutingWork of(ProcedureCall call, List<Integer> types, List<String> values) {
    List<Item> items = new ArrayList<>();
    for (BlindCallFacts.Statement statement : call.procedure().blind().statements()) {
      String key =
          statement.key() instanceof Value.Parameter argument
              ? values.get(argument.number() - 1)
              : statement.key().toString();
      CallObject row = new CallObject(statement.schema(), statement.table(), key);
      items.add(new Item(call.homes().get(items.size()), row, statement.redo()));
    }
    return new CommutingWork(items, types, values);
  }

  /** The rows that it names, each once. */
  public List<CallObject> rows() {
    return rows(item -> true);
  }

  /** Those of them that lie on some nodes. */
  public List<CallObject> rows(Set<Integer> nodes) {
    return rows(item -> nodes.contains(item.node));
  }

  private List<CallObject> rows(Predicate<Item> some) {
    return items.stream().filter(some).map(Item::row).distinct().toList();
  }

  /** The first by their order of the rows that it names on a node; null when it names none. */
  public CallObject firstRow(int node) {
    return rows(item -> item.node == node).stream().min(Comparator.naturalOrder()).orElse(null);
  }

  /** What an intent holds. */
  public String text() {
    ObjectNode all = Json.object();
    for (Item item : items) {
      ClassChoice.add(all, item.node, item.sql, types, values);
    }
    return all.toString();
  }
}
