package org.abelian.advisor.graph;

import java.util.ArrayList;
import java.util.List;
import org.abelian.advisor.AdvisorException;
import org.abelian.advisor.files.Engine;
import org.abelian.advisor.files.JsonFile;
import org.abelian.advisor.files.OutputFolder;
import org.abelian.advisor.trace.TraceDescription;
import org.abelian.advisor.trace.TraceFiles;
import org.abelian.advisor.trace.TraceTable;
import org.abelian.advisor.workload.TupleIdentity;

/**
 * Makes the graph of a trace.
 *
 * <p>A node stands for a tuple, or for several that the same transactions use in the same way. One
 * that is read becomes a star: a centre and one copy for each transaction, between them edges that
 * cost what its writes would cost if it were replicated. Two copies that a transaction uses are
 * joined by an edge that costs what separating them would: a clique for small transactions, a star
 * around a vertex of the transaction for large ones.
 */
public final class GraphPhase {
  private final TraceFiles trace;
  private final GraphOptions options;
  private final Engine engine;
  private final List<String> notes = new ArrayList<>();

  private GraphPhase(TraceFiles trace, GraphOptions options, Engine engine) {
    this.trace = trace;
    this.options = options;
    this.engine = engine;
  }

  /** Reads a trace and writes a graph. */
  public static GraphDescription run(TraceFiles trace, GraphOptions options, OutputFolder output) {
    try (Engine engine = Engine.open()) {
      return new GraphPhase(trace, options, engine).run(output);
    }
  }

  private GraphDescription run(OutputFolder output) {
    GraphFiles files = new GraphFiles(output.path());
    TraceDescription description = trace.description();
    chooseTransactions();
    weighTransactions(description);
    chooseTuples(description);
    coalesce();
    makeVertices();
    makeEdges(description);
    long vertices = engine.number("SELECT count(*) FROM vertex");
    long edges = engine.number("SELECT count(*) FROM edge");
    new GraphText(engine).write(files, vertices, edges);
    engine.writeParquet(
        "SELECT table_name, identity, node, accesses FROM tuple ORDER BY node", files.nodes());
    engine.writeParquet(
        "SELECT tx, node, vertex, writes, soft, share FROM pin JOIN pin_vertex USING (tx, node)",
        files.pins());
    GraphDescription made =
        new GraphDescription(
            options.part().seed(),
            options.part().heldOut(),
            engine.number("SELECT count(DISTINCT tx) FROM pin"),
            engine.number("SELECT count(*) FROM tuple"),
            engine.number("SELECT count(*) FROM node"),
            vertices,
            edges,
            notes);
    JsonFile.write(files.descriptionFile(), made);
    output.finish();
    return made;
  }

  /** One row of pair for each tuple that a chosen transaction uses. */
  private void chooseTransactions() {
    String sample =
        options.transactionShare() < 1
            ? options.part().sampled("tx", "" + options.transactionShare())
            : "true";
    engine.run(
        "CREATE TABLE pair AS SELECT tx, table_name, "
            + TupleIdentity.SQL
            + " AS identity, count(*) AS uses, bool_or(write) AS writes, bool_or(write AND NOT"
            + " commutes) AS hard, bool_and(write AND commutes) AS soft, bool_or(decides) AS"
            + " decides FROM "
            + Engine.parquet(trace.accesses())
            + " WHERE "
            + options.part().training()
            + " AND "
            + sample
            + " GROUP BY ALL",
        "CREATE TABLE large AS SELECT tx FROM pair GROUP BY tx HAVING count(*) > "
            + options.largest(),
        "DELETE FROM pair WHERE tx IN (SELECT tx FROM large)");
    if (options.transactionShare() < 1) {
      notes.add(
          "the graph is made from " + percent(options.transactionShare()) + " of transactions");
    }
    long large = engine.number("SELECT count(*) FROM large");
    if (large > 0) {
      notes.add(
          large
              + " transactions of more than "
              + options.largest()
              + " tuples are not in the graph");
    }
    if (engine.number("SELECT count(*) FROM pair") == 0) {
      throw new AdvisorException(
          "no transaction of the trace touches a table: there is nothing to advise on");
    }
  }

  /** For how many transactions of the true workload each stands. */
  private void weighTransactions(TraceDescription description) {
    engine.run("ALTER TABLE pair ADD COLUMN share DOUBLE DEFAULT 1");
    if (description.weights() == null) {
      return;
    }
    engine.run("CREATE TABLE class_weight (class VARCHAR, share DOUBLE)");
    description
        .weights()
        .forEach(
            (name, weight) ->
                engine.run(
                    "INSERT INTO class_weight VALUES ("
                        + Engine.literal(name)
                        + ", "
                        + weight
                        + ")"));
    engine.run(
        "UPDATE pair SET share = class_weight.share FROM "
            + Engine.parquet(trace.transactions())
            + " t JOIN class_weight USING (class) WHERE t.tx = pair.tx");
  }

  /** Tables of which little was seen are kept whole: a fifth of three warehouses says nothing. */
  private void chooseTuples(TraceDescription description) {
    engine.run("CREATE TABLE width (table_name VARCHAR, bytes BIGINT)");
    for (TraceTable table : description.tables()) {
      engine.run(
          "INSERT INTO width VALUES ("
              + Engine.literal(table.id())
              + ", "
              + Math.max(1, table.rowBytes())
              + ")");
    }
    String share =
        "greatest(" + options.tupleShare() + ", least(1, " + options.keepTuples() + " / seen))";
    engine.run(
        "CREATE TABLE seen AS SELECT table_name, count(DISTINCT identity) AS seen FROM pair GROUP"
            + " BY table_name",
        "CREATE TABLE tuple AS SELECT table_name, identity, bytes, greatest(1,"
            + " round(sum(share)))::BIGINT AS accesses,"
            + " bit_xor(hash(tx, writes, hard, soft, decides)) AS sign1,"
            + " sum(hash(tx, writes, hard, soft, decides, 1) >> 16) AS sign2, NULL::BIGINT AS node"
            + " FROM pair JOIN width USING (table_name) JOIN seen USING (table_name) WHERE "
            + options.part().sampled("table_name || identity", share)
            + " GROUP BY ALL HAVING count(*) >= "
            + options.relevance());
    long all = engine.number("SELECT sum(seen) FROM seen");
    long kept = engine.number("SELECT count(*) FROM tuple");
    if (kept < all) {
      notes.add("the graph has " + kept + " of the " + all + " tuples that were seen");
    }
    if (kept == 0) {
      throw new AdvisorException("no tuple is left: keep a larger share, or less relevant ones");
    }
  }

  /** Tuples that the same transactions use in the same way get the same node. */
  private void coalesce() {
    engine.run(
        "UPDATE tuple SET node = numbered.node FROM (SELECT sign1, sign2, row_number() OVER (ORDER"
            + " BY min(table_name || identity)) - 1 AS node FROM tuple GROUP BY sign1, sign2)"
            + " numbered WHERE tuple.sign1 = numbered.sign1 AND tuple.sign2 = numbered.sign2",
        "CREATE TABLE pin AS SELECT tx, node, greatest(1, round(sum(uses * share)))::BIGINT AS"
            + " uses, any_value(share) AS share, bool_or(writes) AS writes, bool_or(hard) AS hard,"
            + " bool_and(soft) AS soft, bool_or(decides) AS decides FROM pair JOIN tuple USING"
            + " (table_name, identity) GROUP BY tx, node",
        "CREATE TABLE node AS SELECT node, bytes, transactions, hard, soft, uses, "
            + (options.replicate() ? "transactions > 1 AND hards < transactions" : "false")
            + " AS copied FROM (SELECT node, sum(bytes)::BIGINT AS bytes FROM tuple GROUP BY node)"
            + " JOIN (SELECT node, count(*) AS transactions, count(*) FILTER (hard) AS hards,"
            + " coalesce(sum(share) FILTER (hard), 0) AS hard, coalesce(sum(share) FILTER (writes"
            + " AND NOT hard), 0) AS soft, sum(uses)::BIGINT AS uses FROM pin GROUP BY node) USING"
            + " (node)",
        "CREATE TABLE extent AS SELECT tx, count(*) AS members, any_value(share) AS share FROM pin"
            + " GROUP BY tx");
  }

  /** Vertices are numbered from 1, as METIS does. */
  private void makeVertices() {
    String centre = options.bySize() ? "bytes" : "CASE WHEN copied THEN 0 ELSE uses END";
    String copy = options.bySize() ? "0" : "pin.uses";
    engine.run(
        "CREATE TABLE vertex AS SELECT row_number() OVER (ORDER BY node NULLS LAST, tx NULLS FIRST)"
            + " AS vertex, node, tx, weight FROM (SELECT node, NULL::BIGINT AS tx, "
            + centre
            + " AS weight FROM node UNION ALL SELECT node, tx, "
            + copy
            + " FROM pin JOIN node USING (node) WHERE copied UNION ALL SELECT NULL, tx, 0 FROM"
            + " extent WHERE members > "
            + options.clique()
            + ")",
        "CREATE TABLE pin_vertex AS SELECT pin.tx, pin.node, coalesce(copy.vertex, centre.vertex)"
            + " AS vertex FROM pin JOIN vertex centre ON centre.node = pin.node AND centre.tx IS"
            + " NULL LEFT JOIN vertex copy ON copy.node = pin.node AND copy.tx = pin.tx");
  }

  private void makeEdges(TraceDescription description) {
    engine.run(
        "CREATE TABLE bond (a BIGINT, b BIGINT, weight BIGINT)",
        // What it costs to keep a copy apart from its centre: every write reaches it. Never
        // nothing,
        // so that copies are made only where they serve.
        "CREATE TABLE copying AS SELECT centre.vertex AS centre, copy.vertex AS copy, round("
            + EdgeWeight.LIGHT
            + " * hard + "
            + EdgeWeight.COMMUTING
            + " * soft)::BIGINT + 1 AS weight FROM vertex copy JOIN vertex centre ON centre.node ="
            + " copy.node AND centre.tx IS NULL JOIN node ON node.node = copy.node WHERE copy.tx IS"
            + " NOT NULL",
        "INSERT INTO bond SELECT centre, copy, weight FROM copying",
        "CREATE TABLE use AS SELECT tx, node, vertex, soft, decides, members, extent.share FROM pin"
            + " JOIN pin_vertex USING (tx, node) JOIN extent USING (tx)",
        "INSERT INTO bond SELECT l.vertex, r.vertex, "
            + EdgeWeight.scaled(
                EdgeWeight.sql("l.soft OR r.soft", "l.decides OR r.decides"), "l.share")
            + " FROM use l JOIN use r ON l.tx = r.tx AND l.node < r.node WHERE l.members <= "
            + options.clique(),
        "INSERT INTO bond SELECT use.vertex, middle.vertex, "
            + EdgeWeight.scaled(EdgeWeight.sql("soft", "decides"), "share")
            + " FROM use JOIN vertex middle ON middle.tx = use.tx AND middle.node IS NULL WHERE"
            + " members > "
            + options.clique());
    bindDependencies(description);
    engine.run(
        "CREATE TABLE edge AS SELECT a, b, sum(weight)::BIGINT AS weight FROM (SELECT least(a, b)"
            + " AS a, greatest(a, b) AS b, weight FROM bond) WHERE a <> b GROUP BY a, b",
        "DROP TABLE bond");
    long total = engine.number("SELECT coalesce(sum(weight), 0) FROM edge");
    if (total > EdgeWeight.MOST_IN_ALL) {
      long cap = EdgeWeight.cap(engine);
      engine.run("UPDATE edge SET weight = least(weight, " + cap + ")");
      notes.add("weights above " + cap + " are cut to that, since METIS adds them in 32 bits");
    }
  }

  /** What needs the result of another step must be where that was. */
  private void bindDependencies(TraceDescription description) {
    String accesses = Engine.parquet(trace.accesses());
    engine.run(
        "CREATE TABLE need AS SELECT tx, step, "
            + TupleIdentity.SQL
            + " AS identity, table_name, unnest(depends_on) AS earlier FROM "
            + accesses
            + " WHERE depends_on IS NOT NULL AND tx IN (SELECT tx FROM extent)",
        "CREATE TABLE needed AS SELECT need.tx, need.table_name AS t1, need.identity AS i1,"
            + " a.table_name AS t2, "
            + TupleIdentity.SQL.replace("key", "a.key")
            + " AS i2 FROM need JOIN "
            + accesses
            + " a ON a.tx = need.tx AND a.step = need.earlier",
        "INSERT INTO bond SELECT DISTINCT l.vertex, r.vertex, "
            + EdgeWeight.DEPENDENCY
            + " FROM needed JOIN tuple lt ON lt.table_name = t1 AND lt.identity = i1 JOIN tuple rt"
            + " ON rt.table_name = t2 AND rt.identity = i2 JOIN pin_vertex l ON l.tx = needed.tx"
            + " AND l.node = lt.node JOIN pin_vertex r ON r.tx = needed.tx AND r.node = rt.node"
            + " WHERE l.vertex <> r.vertex",
        "DROP TABLE need",
        "DROP TABLE needed");
  }

  private static String percent(double share) {
    return Math.round(share * 1000) / 10.0 + "%";
  }
}
