package org.abelian.advisor.trace.log;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.abelian.advisor.trace.Access;
import org.abelian.router.analysis.BodyFacts;
import org.abelian.router.analysis.ColumnReference;
import org.abelian.router.analysis.Equality;
import org.abelian.router.analysis.InsertFacts;
import org.abelian.router.analysis.RelationFacts;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.analysis.StatementKind;
import org.abelian.router.analysis.Value;

/** From the facts about a statement and its values to the tuples that it touches. */
final class Touched {
  /** Members of a list that are told apart; the others are left out. */
  private static final int MOST_MEMBERS = 200;

  private final Schema schema;

  Touched(Schema schema) {
    this.schema = schema;
  }

  /** Makes the columns that a statement names attributes of their tables. */
  void nameAttributes(StatementFacts facts) {
    if (facts.change().insert() != null
        && facts.change().insert().source() == InsertFacts.Source.VALUES) {
      RelationFacts target = relation(facts, facts.change().insert().relation());
      if (target != null && schema.has(id(target))) {
        facts.change().insert().columns().forEach(column -> schema.insert(id(target), column));
      }
    }
    if (facts.calls().body() != null && facts.calls().body().isKnown()) {
      for (BodyFacts.Touch touch : facts.calls().body().touches()) {
        if (schema.has(id(touch))) {
          touch.columns().keySet().forEach(column -> schema.name(id(touch), column));
        }
      }
    }
    for (Equality equality : facts.equalities()) {
      if (equality.values().isEmpty() && equality.in().isEmpty()) {
        continue;
      }
      for (ColumnReference column : equality.columns()) {
        RelationFacts relation = relation(facts, column.relation());
        if (relation != null && schema.has(id(relation))) {
          schema.name(id(relation), column.column());
        }
      }
    }
  }

  /**
   * The tuples.
   *
   * @param step the statement's number within its transaction
   * @param retyped the types that would make its writes commute, or null
   */
  List<Access> of(StatementFacts facts, List<String> parameters, int step, String retyped) {
    List<Access> accesses = new ArrayList<>();
    if (facts.calls().body() != null && facts.calls().body().isKnown()) {
      accesses.addAll(called(facts.calls().body(), parameters, step));
    }
    boolean commutes = facts.change().blind() != null && facts.change().blind().redo() != null;
    for (RelationFacts relation : facts.relations()) {
      if (relation.catalog() || relation.temporary() || !schema.has(id(relation))) {
        continue;
      }
      boolean inserted =
          facts.change().insert() != null
              && facts.change().insert().relation() == relation.id()
              && facts.change().insert().source() == InsertFacts.Source.VALUES;
      List<Map<String, String>> tuples =
          inserted
              ? inserted(facts.change().insert(), id(relation), parameters)
              : compared(facts, relation, parameters);
      // Who locks rows takes part in the commit like one who writes them.
      boolean write =
          relation.write()
              || relation.locking() != null
              || facts.kind() == StatementKind.MERGE && relation.level() == 0;
      for (Map<String, String> tuple : tuples) {
        accesses.add(
            new Access(
                step,
                id(relation),
                tuple,
                List.copyOf(tuple.keySet()),
                write,
                write && commutes,
                write && !commutes ? retyped : null,
                null,
                false));
      }
    }
    return accesses;
  }

  /** What a call touches inside. */
  private List<Access> called(BodyFacts body, List<String> parameters, int step) {
    List<String> arguments = arguments(body, parameters);
    List<Access> accesses = new ArrayList<>();
    for (BodyFacts.Touch touch : body.touches()) {
      if (!schema.has(id(touch))) {
        continue;
      }
      Map<String, String> tuple = new LinkedHashMap<>();
      touch
          .columns()
          .forEach(
              (column, position) -> {
                String value = parameter(position, arguments);
                if (value != null && schema.isAttribute(id(touch), column)) {
                  tuple.put(column, schema.canonical(id(touch), column, value));
                }
              });
      accesses.add(
          new Access(
              step,
              id(touch),
              tuple,
              List.copyOf(tuple.keySet()),
              touch.write(),
              false,
              null,
              null,
              false));
    }
    return accesses;
  }

  /** The values of a call's arguments; null where one is not known. */
  static List<String> arguments(BodyFacts body, List<String> parameters) {
    List<String> arguments = new ArrayList<>();
    for (List<Value> values : body.arguments()) {
      arguments.add(values.size() == 1 ? text(values.get(0), parameters) : null);
    }
    return arguments;
  }

  private List<Map<String, String>> inserted(
      InsertFacts insert, String table, List<String> parameters) {
    List<Map<String, String>> rows = new ArrayList<>();
    for (List<Value> values : insert.rows()) {
      Map<String, String> row = new LinkedHashMap<>();
      for (int i = 0; i < insert.columns().size(); i++) {
        String column = insert.columns().get(i);
        String text = text(values.get(i), parameters);
        if (text != null && schema.isAttribute(table, column)) {
          row.put(column, schema.canonical(table, column, text));
        }
      }
      rows.add(row);
    }
    return rows;
  }

  private List<Map<String, String>> compared(
      StatementFacts facts, RelationFacts relation, List<String> parameters) {
    String table = id(relation);
    Map<String, String> tuple = new LinkedHashMap<>();
    String listed = null;
    List<String> members = List.of();
    for (Equality equality : facts.equalities()) {
      for (ColumnReference column : equality.columns()) {
        if (column.relation() != relation.id() || !schema.isAttribute(table, column.column())) {
          continue;
        }
        String value = first(equality.values(), parameters);
        if (value != null) {
          tuple.put(column.column(), schema.canonical(table, column.column(), value));
        } else if (!equality.in().isEmpty() && listed == null) {
          members = members(equality.in().get(0), parameters);
          listed = members.isEmpty() ? null : column.column();
        }
      }
    }
    if (listed == null) {
      return List.of(tuple);
    }
    List<Map<String, String>> tuples = new ArrayList<>();
    for (String member : members) {
      Map<String, String> one = new LinkedHashMap<>(tuple);
      one.put(listed, schema.canonical(table, listed, member));
      tuples.add(one);
    }
    return tuples;
  }

  private static String first(List<Value> values, List<String> parameters) {
    for (Value value : values) {
      String text = text(value, parameters);
      if (text != null) {
        return text;
      }
    }
    return null;
  }

  private static List<String> members(List<Value> values, List<String> parameters) {
    List<String> members = new ArrayList<>();
    for (Value value : values) {
      if (value instanceof Value.ParameterElements elements) {
        members.addAll(ArrayElements.of(parameter(elements.number(), parameters)));
      } else {
        String text = text(value, parameters);
        if (text != null) {
          members.add(text);
        }
      }
    }
    return members.subList(0, Math.min(MOST_MEMBERS, members.size()));
  }

  private static String text(Value value, List<String> parameters) {
    if (value instanceof Value.Parameter parameter) {
      return parameter(parameter.number(), parameters);
    }
    if (value instanceof Value.CastParameter cast) {
      return parameter(cast.parameter().number(), parameters);
    }
    return value instanceof Value.Constant constant ? constant.text() : null;
  }

  private static String parameter(int number, List<String> parameters) {
    return number <= parameters.size() ? parameters.get(number - 1) : null;
  }

  private static RelationFacts relation(StatementFacts facts, int number) {
    return facts.relations().stream().filter(one -> one.id() == number).findFirst().orElse(null);
  }

  private static String id(BodyFacts.Touch touch) {
    return touch.schema() + "." + touch.table();
  }

  private static String id(RelationFacts relation) {
    return relation.schema() + "." + relation.name();
  }
}
