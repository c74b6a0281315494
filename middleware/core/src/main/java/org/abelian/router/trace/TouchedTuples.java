package org.abelian.router.trace;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.abelian.router.analysis.ColumnReference;
import org.abelian.router.analysis.Equality;
import org.abelian.router.analysis.InsertFacts;
import org.abelian.router.analysis.RelationFacts;
import org.abelian.router.analysis.Value;
import org.abelian.router.catalog.KeyColumn;
import org.abelian.router.catalog.Placement;
import org.abelian.router.catalog.TableName;

/**
 * What the router knows of the rows that a statement touches: tables, and values of their
 * distribution columns.
 */
final class TouchedTuples {
  /** Of one statement; it may insert more. */
  static final int MOST = 100;

  /**
   * Rows of a table.
   *
   * @param key values by distribution column as far as the statement names them, NULL as null
   */
  record Tuple(String table, boolean write, Map<String, String> key) {}

  private final TracedStatement statement;
  private final BiFunction<String, Integer, String> form;
  private final List<String> parameters;

  /**
   * @param parameters the values in the form in which they are recorded
   * @param form gives a constant in the form in which it is recorded, by its text and type
   */
  TouchedTuples(
      TracedStatement statement,
      List<String> parameters,
      BiFunction<String, Integer, String> form) {
    this.statement = statement;
    this.parameters = parameters;
    this.form = form;
  }

  /** The tuples, the first {@link #MOST}. */
  List<Tuple> all() {
    List<Tuple> tuples = new ArrayList<>();
    for (RelationFacts relation : statement.facts().relations()) {
      if (!relation.catalog() && tuples.size() < MOST) {
        add(relation, tuples);
      }
    }
    return tuples;
  }

  private void add(RelationFacts relation, List<Tuple> tuples) {
    TableName name = new TableName(relation.schema(), relation.name());
    List<KeyColumn> columns =
        statement.catalog().placement(name).orElse(null) instanceof Placement.Distributed placed
            ? placed.columns()
            : List.of();
    InsertFacts insert = statement.facts().change().insert();
    boolean inserted =
        insert != null
            && insert.relation() == relation.id()
            && insert.source() == InsertFacts.Source.VALUES
            && !columns.isEmpty();
    if (!inserted) {
      tuples.add(new Tuple(name.toString(), relation.write(), equal(relation, columns)));
      return;
    }
    for (List<Value> row : insert.rows()) {
      if (tuples.size() < MOST) {
        tuples.add(new Tuple(name.toString(), true, inserted(insert, row, columns)));
      }
    }
  }

  private Map<String, String> inserted(
      InsertFacts insert, List<Value> row, List<KeyColumn> columns) {
    Map<String, String> key = new LinkedHashMap<>();
    for (KeyColumn column : columns) {
      int place = insert.columns().indexOf(column.name());
      if (place >= 0) {
        put(key, column.name(), row.get(place));
      }
    }
    return key;
  }

  private Map<String, String> equal(RelationFacts relation, List<KeyColumn> columns) {
    Map<String, String> key = new LinkedHashMap<>();
    for (KeyColumn column : columns) {
      ColumnReference reference = new ColumnReference(relation.id(), column.name());
      for (Equality equality : statement.facts().equalities()) {
        if (equality.columns().contains(reference)) {
          equality.values().forEach(value -> put(key, column.name(), value));
        }
      }
    }
    return key;
  }

  private void put(Map<String, String> key, String column, Value value) {
    if (value instanceof Value.Parameter parameter) {
      putParameter(key, column, parameter.number());
    } else if (value instanceof Value.CastParameter cast) {
      putParameter(key, column, cast.parameter().number());
    } else if (value instanceof Value.Constant constant) {
      key.put(column, form.apply(constant.text(), constant.type()));
    } else if (value instanceof Value.Null) {
      key.put(column, null);
    }
  }

  private void putParameter(Map<String, String> key, String column, int number) {
    if (number >= 1 && number <= parameters.size()) {
      key.put(column, parameters.get(number - 1));
    }
  }
}
