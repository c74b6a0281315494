package org.abelian.router.session;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.abelian.router.analysis.BlindCallFacts;
import org.abelian.router.analysis.Value;

/**
 * The blind operations of a call with its arguments, and the rows that they name.
 *
 * @param items the operations, in the body's order
 * @param objects the rows
 * @param types of the call's arguments
 * @param values the arguments in text form
 */
record CommutingWork(
    List<Item> items, List<CallObject> objects, List<Integer> types, List<String> values) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * An operation.
   *
   * @param node where its row lies
   * @param sql its text; refers to the call's arguments
   */
  record Item(int node, String sql) {}

  /** Of a call that is nothing else. */
  static CommutingWork of(ProcedureCall call, List<Integer> types, List<String> values) {
    List<Item> items = new ArrayList<>();
    List<CallObject> objects = new ArrayList<>();
    for (BlindCallFacts.Statement statement : call.procedure().blind().statements()) {
      items.add(new Item(call.homes().get(items.size()), statement.redo()));
      String key =
          statement.key() instanceof Value.Parameter argument
              ? values.get(argument.number() - 1)
              : statement.key().toString();
      CallObject object = new CallObject(statement.schema(), statement.table(), key);
      if (!objects.contains(object)) {
        objects.add(object);
      }
    }
    return new CommutingWork(items, objects, types, values);
  }

  /** What an intent holds. */
  String text() {
    ObjectNode all = JSON.createObjectNode();
    for (Item item : items) {
      ClassChoice.add(all, item.node, item.sql, types, values);
    }
    return all.toString();
  }
}
