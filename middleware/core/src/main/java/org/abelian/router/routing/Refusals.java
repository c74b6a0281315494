package org.abelian.router.routing;

import org.abelian.router.analysis.MergeFacts;
import org.abelian.router.analysis.ProcedureFacts;
import org.abelian.router.analysis.RelationFacts;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.analysis.StatementKind;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;

/** The refusals of routing, each with a hint that says what to change. */
final class Refusals {
  private Refusals() {}

  static AbelianException keyMissing(RelationFacts table, String column) {
    return AbelianException.unsupported(
        "INSERT into \""
            + table.name()
            + "\" does not give its distribution column \""
            + column
            + "\"",
        "Name the column \"" + column + "\" and give it a value in each row.");
  }

  static AbelianException conflictOverLookup(RelationFacts table, String column) {
    return AbelianException.unsupported(
        "ON CONFLICT over the lookup index of column \""
            + column
            + "\" of \""
            + table.name()
            + "\" is not supported",
        "Name the columns of the primary key or of another unique index in ON CONFLICT; a value"
            + " that is taken is then the error 23505.");
  }

  static AbelianException keyComputed(RelationFacts table, String column) {
    return AbelianException.unsupported(
        "the distribution column \""
            + column
            + "\" of \""
            + table.name()
            + "\" is given a value that only a node can compute",
        "Give it as a parameter or a constant; compute it in the application or in a SELECT"
            + " before.");
  }

  static AbelianException keyInexact(RelationFacts table, String column) {
    return AbelianException.unsupported(
        "the value for the distribution column \""
            + column
            + "\" of \""
            + table.name()
            + "\" is not a whole number",
        "Round it in the application.");
  }

  static AbelianException keyNull(RelationFacts table, String column) {
    return new AbelianException(
        SqlState.NOT_NULL_VIOLATION,
        "null value in distribution column \"" + column + "\" of relation \"" + table.name() + "\"",
        "A table with several distribution columns takes no NULL in them: give the column a"
            + " value.");
  }

  /** As a node says it, should it meet such a row. */
  static AbelianException keyUncovered(RelationFacts table, String columns) {
    return new AbelianException(
        SqlState.CHECK_VIOLATION,
        "no partition for a row of table \"" + table.name() + "\"",
        "No rule of the table's placement covers what the row has in (" + columns + ").",
        "The view abelian.distributed_tables shows the rule.",
        null);
  }

  static AbelianException callByPartOfKey(ProcedureFacts procedure, String columns) {
    return AbelianException.unsupported(
        "an argument of distributed procedure "
            + procedure.signature()
            + " cannot name its node: \""
            + procedure.table()
            + "\" is placed by ("
            + columns
            + ")",
        "Declare the procedure without a key, so that all nodes take part, or send its statements"
            + " by themselves.");
  }

  /**
   * The rows cannot move.
   *
   * @param obstacle why not; null when nothing more is to be said
   */
  static AbelianException keyChanged(RelationFacts table, String column, String obstacle) {
    return AbelianException.unsupported(
        "the distribution column \"" + column + "\" of \"" + table.name() + "\" cannot be changed",
        (obstacle == null ? "" : "Its rows cannot move to other nodes: " + obstacle + ". ")
            + "DELETE the row and INSERT it with the new value in one transaction, or leave the"
            + " column out of SET.");
  }

  static AbelianException joinAcrossNodes(RelationFacts one, RelationFacts other) {
    return AbelianException.unsupported(
        "\""
            + one.name()
            + "\" and \""
            + other.name()
            + "\" meet in this statement, but the rows that meet may lie on different nodes",
        "Compare their distribution columns with each other, or each with the same value; or make"
            + " one of them a reference table.");
  }

  static AbelianException mixedWithLocal(RelationFacts placed, RelationFacts local) {
    return AbelianException.unsupported(
        "\""
            + placed.name()
            + "\" is distributed, but \""
            + local.name()
            + "\" lies on the first node only",
        "Place \""
            + local.name()
            + "\" with create_reference_table() or create_distributed_table(), or use two"
            + " statements.");
  }

  static AbelianException severalNodes(String reason) {
    return AbelianException.unsupported(
        "this statement needs rows of several nodes, and " + reason,
        "Restrict the distribution columns to one value, compare them with each other, or make one"
            + " of the tables a reference table.");
  }

  static AbelianException opaqueFunction(String function) {
    return AbelianException.unsupported(
        "function " + function + " may read or write tables, and the router does not see which",
        "Declare it IMMUTABLE if it does not, call it by itself as a distributed procedure"
            + " (create_distributed_procedure), or send its statements by themselves.");
  }

  /**
   * @param table one whose rows may lie on any node; null when they lie on several
   */
  static AbelianException bodyOfSeveralNodes(String signature, String table) {
    return AbelianException.unsupported(
        signature
            + (table == null
                ? " uses rows of several nodes"
                : " uses rows of table \"" + table + "\" that may lie on several nodes"),
        "Have it compare the distribution column with an argument or a constant, make it a"
            + " distributed procedure (create_distributed_procedure), or send its statements by"
            + " themselves.");
  }

  static AbelianException functionOfOneNode(String function, RelationFacts table) {
    return AbelianException.unsupported(
        "function "
            + function
            + "() belongs to one node, and the rows of \""
            + table.name()
            + "\" may lie on others",
        function.equals("nextval")
            ? "Call it in the columns of a SELECT without DISTINCT, not in its conditions."
            : "Call it in a statement of its own.");
  }

  static AbelianException functionOfNoNode(String function) {
    return AbelianException.unsupported(
        "function " + function + "() is not supported over several nodes",
        switch (function) {
          case "pg_listening_channels" ->
              "No node knows what the session listens to: keep the names.";
          case "pg_prepared_statement" ->
              "Ask for prepared statements in a query about nothing but catalogues.";
          case "router_setting" ->
              "Read abelian.router_statistics and abelian.routing_rules in a query about nothing"
                  + " but catalogues.";
          case "pg_cursor" ->
              "No node has all cursors of the session: keep the names, or ask in a transaction"
                  + " whose cursors are on one node, without other tables.";
          default ->
              "Keep what nextval() or RETURNING gives; let a sequence of a distributed table start"
                  + " where it must before the table is placed.";
        });
  }

  static AbelianException settingsOfSeveralNodes() {
    return AbelianException.unsupported(
        "set_config() for rows of several nodes, or in a cursor, is not supported",
        "Call it in a statement of its own, or use SET.");
  }

  static AbelianException temporaryAndOthers(String what) {
    return AbelianException.unsupported(
        what + " of temporary and other objects in one statement is not supported",
        "Temporary objects lie on the first node only: use a statement for each.");
  }

  static AbelianException stopped(ProcedureFacts procedure) {
    return new AbelianException(
        SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
        "distributed procedure " + procedure.signature() + " was stopped: " + procedure.stopped(),
        "Correct it, and call create_distributed_procedure() again.");
  }

  static AbelianException computedArgument(String procedure) {
    return AbelianException.unsupported(
        "an argument of distributed procedure "
            + procedure
            + " may come out differently on each node: it calls a function of the clock, of chance"
            + " or of what a node has for itself",
        "Compute the value before, and give it as a parameter.");
  }

  static AbelianException nestedWrite(RelationFacts table) {
    return AbelianException.unsupported(
        "\""
            + table.name()
            + "\" is changed inside WITH, and the nodes that it concerns are not known",
        "Use two statements in one transaction.");
  }

  static AbelianException referenceMutable(RelationFacts table) {
    return AbelianException.unsupported(
        "this change of reference table \""
            + table.name()
            + "\" would differ from node to node: it, or a default, calls a function of the clock,"
            + " of chance or of what a node has for itself",
        "Compute the value in the application or in a SELECT before, and give it as a parameter.");
  }

  static AbelianException referenceFromQuery(RelationFacts table) {
    return AbelianException.unsupported(
        "the copies of reference table \""
            + table.name()
            + "\" might come out differently by this change from other tables",
        "Return columns of the reference table only, and assign columns one by one: SET a = (SELECT"
            + " ...), b = (SELECT ...). Or read the values first, and write them in the same"
            + " transaction.");
  }

  static AbelianException insertSelect(RelationFacts table, String column) {
    return AbelianException.unsupported(
        "INSERT ... SELECT into \"" + table.name() + "\" would move rows between nodes",
        "Select the distribution column \""
            + column
            + "\" from that of a co-located table restricted to one value, or insert the rows by"
            + " VALUES.");
  }

  static AbelianException merge(RelationFacts table) {
    return AbelianException.unsupported(
        "the nodes that this MERGE into \"" + table.name() + "\" concerns are not known",
        "Put a join behind USING into a subquery, and call nothing volatile in ON or WHEN NOT"
            + " MATCHED. Under row security, let ON compare each distribution column with a column"
            + " of USING, and insert that value.");
  }

  static AbelianException insertReadsOthers(RelationFacts table) {
    return AbelianException.unsupported(
        "INSERT of rows for several nodes into \""
            + table.name()
            + "\" also reads distributed tables",
        "Insert the rows of each node by themselves, or read the values first.");
  }

  static AbelianException rowsNotFound(RelationFacts table) {
    return AbelianException.unsupported(
        "the rows of an INSERT into \"" + table.name() + "\" cannot be told apart in its text",
        "Insert the rows of each node by themselves.");
  }

  static AbelianException serverFile() {
    return new AbelianException(
        SqlState.INSUFFICIENT_PRIVILEGE,
        "COPY to or from a file or program of a node is not allowed",
        "Anyone can COPY to stdout or from stdin. psql's \\copy command also works for anyone.");
  }

  static AbelianException copy(RelationFacts table, String what, String hint) {
    return AbelianException.unsupported(
        "COPY into \""
            + table.name()
            + "\" "
            + what
            + " is not supported, since its rows lie on"
            + " several nodes",
        hint);
  }

  static AbelianException copyKeyMissing(RelationFacts table, String column) {
    return AbelianException.unsupported(
        "COPY into \"" + table.name() + "\" leaves out its distribution column \"" + column + "\"",
        "Put the column \"" + column + "\" into the list of columns and into each line.");
  }

  static AbelianException utility(String what, String hint) {
    return AbelianException.unsupported(what + " is not supported over several nodes", hint);
  }

  /**
   * Why the statement cannot run on several nodes, each with its own rows; null when it can.
   * Whether rows of different nodes would have to meet, the node's analysis knows.
   */
  static AbelianException ofSeveral(StatementFacts facts) {
    MergeFacts merge = facts.merge();
    if (merge == null) {
      return severalNodes("its parts cannot be put together");
    }
    switch (merge.mode()) {
      case REFUSE:
        return severalNodes(merge.reason());
      case COMBINE:
        if (facts.kind() != StatementKind.SELECT) {
          return severalNodes("it writes and also sorts, limits or aggregates");
        }
        return null;
      default:
        return null;
    }
  }
}
