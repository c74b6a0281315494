package org.abelian.router.frontend;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.statement.ClientStatements;

/**
 * What pg_prepared_statements shows: the session's own statements, of which a node is told before a
 * query about them. Plans are not counted, since many connections have them.
 */
final class ToldStatements {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private ToldStatements() {}

  /** What tells a node of them, until its transaction ends. */
  static NodeStatement telling(ClientStatements statements) {
    ArrayNode rows = MAPPER.createArrayNode();
    statements.all().forEach((name, prepared) -> row(rows.addObject(), name, prepared));
    String literal = rows.toString().replace("\\", "\\\\").replace("'", "''");
    return NodeStatement.of("SELECT abelian.tell_statements(E'" + literal + "')");
  }

  private static void row(ObjectNode row, String name, ClientStatements.Prepared prepared) {
    boolean fromSql = prepared.command() != null;
    row.put("name", name);
    row.put("statement", fromSql ? prepared.command() : prepared.statement().sql());
    row.put("prepare_time", prepared.at().toString());
    ArrayNode types = row.putArray("parameter_types");
    prepared.statement().parameters().forEach(type -> types.add(Integer.toUnsignedString(type)));
    row.put("from_sql", fromSql);
    row.put("generic_plans", 0);
    row.put("custom_plans", 0);
  }
}
