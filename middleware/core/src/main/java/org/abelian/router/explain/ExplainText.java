package org.abelian.router.explain;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.abelian.router.analysis.GatheredFacts;
import org.abelian.router.analysis.MergeFacts;
import org.abelian.router.analysis.ProcedureFacts;
import org.abelian.router.backend.Backend;
import org.abelian.router.catalog.Node;
import org.abelian.router.engine.BoundStatement;
import org.abelian.router.engine.EngineContext;
import org.abelian.router.engine.Executor;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.procedure.ProcedureCalls;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.routing.BoundValues;
import org.abelian.router.routing.Route;
import org.abelian.router.routing.RouteText;
import org.abelian.router.session.ClassChoice;
import org.abelian.router.session.CommitClass;
import org.abelian.router.session.TransactionWork;
import org.abelian.router.statement.BoundParameters;
import org.abelian.router.statement.ExplainCommand;
import org.abelian.router.statement.RoutedStatement;
import org.abelian.router.statement.SharedStatement;

/** What the router says about one statement: nodes, keys, how it is run, and its commit class. */
public final class ExplainText {
  private final EngineContext context;
  private final ProcedureCalls procedures;
  private final ExplainCommand command;
  private final RoutedStatement inner;
  private final Route route;
  private final BoundValues values;
  private final BindMessage bind;

  /**
   * What a node is to give the plan of.
   *
   * @param what it is to the whole statement
   * @param values after those of the client
   */
  public record Part(
      int node, Backend backend, NodeStatement statement, String what, List<ByteQueue> values) {
    /** Stands above the plan. */
    public String title() {
      return what + " of node " + node + ":";
    }
  }

  public ExplainText(
      EngineContext context, ProcedureCalls procedures, BoundStatement bound, Route route) {
    this.context = context;
    this.procedures = procedures;
    this.command = bound.routed().explains();
    this.inner = bound.routed().explained();
    this.route = route;
    this.bind = bound.bind();
    this.values = new BoundParameters(bind);
  }

  /** The router's own lines. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    List<Integer> nodes = nodes();
    lines.add(
        nodes.stream()
            .map(String::valueOf)
            .collect(
                Collectors.joining(
                    ", ", "Router: " + nodes.size() + " of " + all() + " nodes (", ")")));
    keys().forEach(key -> lines.add("  Key: " + key));
    learned().forEach(reason -> lines.add("  Learned: " + reason));
    how()
        .forEach(
            (name, value) -> {
              if (name.equals("Run") || name.equals("Reason")) {
                lines.add("  " + name + ": " + value);
              } else {
                addQuery(name, value, lines);
              }
            });
    ClassChoice choice = choice();
    if (choice != null) {
      String text = choice.toString();
      lines.add("  " + text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1));
      lines.add("  Commit: " + rounds(choice.commitClass()));
    }
    return lines;
  }

  /** PostgreSQL writes queries in several lines. */
  private static void addQuery(String name, String sql, List<String> lines) {
    lines.add("  " + name + ":");
    sql.lines().forEach(line -> lines.add(line.startsWith(" ") ? "   " + line : "    " + line));
  }

  /** The same as properties of a plan, in which programs find a node as they know nodes. */
  public Map<String, Object> properties() {
    Map<String, Object> properties = new LinkedHashMap<>();
    properties.put("Node Type", "Custom Scan");
    properties.put("Custom Plan Provider", "Abelian Router");
    properties.put("Nodes", nodes());
    properties.put("Nodes Of Cluster", all());
    properties.put("Keys", keys());
    if (!learned().isEmpty()) {
      properties.put("Learned", learned());
    }
    how().forEach((name, value) -> properties.put(title(name), value));
    ClassChoice choice = choice();
    if (choice != null) {
      properties.put("Commit Class", choice.commitClass().toString());
      properties.put("Commit Class Reason", choice.reason());
      properties.put("Commit", rounds(choice.commitClass()));
    }
    return properties;
  }

  private static String title(String name) {
    return Arrays.stream(name.split(" "))
        .map(word -> word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1))
        .collect(Collectors.joining(" "));
  }

  private int all() {
    return inner.router().catalog().nodes().size();
  }

  private List<String> keys() {
    return RouteText.keys(inner.facts(), inner.router().catalog(), values);
  }

  private List<String> learned() {
    return route instanceof Route.Procedure procedure
        ? procedures.learned(inner, procedure, bind).reasons()
        : List.of();
  }

  private List<Integer> nodes() {
    if (route instanceof Route.OneNode one) {
      return List.of(one.node());
    } else if (route instanceof Route.Scatter scatter) {
      return scatter.nodes();
    } else if (route instanceof Route.ScatterWrite scatter) {
      return scatter.nodes();
    } else if (route instanceof Route.Split split) {
      return split.parts().stream().map(Route.Part::node).toList();
    } else if (route instanceof Route.GatheredInsert insert) {
      return insert.nodes();
    } else if (route instanceof Route.MovedRows moved) {
      return moved.nodes();
    } else if (route instanceof Route.GatheredWrite write) {
      return write.nodes();
    } else if (route instanceof Route.Procedure procedure) {
      return procedures.participants(inner, procedure, bind);
    } else if (route instanceof Route.AnyNode) {
      return List.of(context.backends().home(inner.router().catalog()).nodeId);
    }
    return inner.router().catalog().nodes().stream().map(Node::id).toList();
  }

  /** How it is run: in words, and the queries that the words name. */
  private Map<String, String> how() {
    Map<String, String> how = new LinkedHashMap<>();
    for (int at = 0; at < command.before().size(); at++) {
      how.put("Before " + (at + 1), command.before().get(at));
    }
    if (route instanceof Route.AnyNode) {
      how.put("Run", "on any node, here the one that the session uses");
    } else if (route instanceof Route.OneNode) {
      how.put("Run", "on one node, as it is");
    } else if (route instanceof Route.Scatter scatter) {
      if (Executor.isBroadcastJoin(inner, scatter)) {
        addJoin(scatter.merge(), how);
      } else {
        addRead(scatter, how);
      }
    } else if (route instanceof Route.ScatterWrite) {
      how.put("Run", "scatter, each node changes its own rows");
    } else if (route instanceof Route.Split) {
      how.put("Run", "split, each node inserts the rows that are its own");
    } else if (route instanceof Route.GatheredInsert insert) {
      how.put("Run", "gathered, the router takes the rows and has each node insert its own");
      how.put("Select", insert.facts().source());
      how.put("Insert", insert.facts().insert());
    } else if (route instanceof Route.MovedRows moved) {
      how.put("Run", "moved, the router takes the rows and has each node insert its own");
      how.put("Delete", moved.facts().source());
      how.put("Insert", moved.facts().insert());
    } else if (route instanceof Route.GatheredWrite write) {
      addChange(write, how);
    } else if (route instanceof Route.Steps steps) {
      how.put("Run", "in steps, each goes its own way when those before have ended");
      for (int at = 0; at < steps.steps().size(); at++) {
        how.put("Step " + (at + 1), steps.steps().get(at).sql());
      }
    } else if (route instanceof Route.Procedure procedure) {
      how.put("Run", ofCall(procedure.procedure()));
    } else {
      how.put("Run", "on all nodes alike, on the first before the others");
    }
    return how;
  }

  private static void addRead(Route.Scatter scatter, Map<String, String> how) {
    MergeFacts merge = scatter.merge();
    if (!scatter.isFinishedByNode()) {
      String rows = scatter.window() == null ? "they" : "the first of them";
      how.put(
          "Run",
          "scatter, each node reads its own rows; "
              + rows
              + " are given one node's after the other's"
              + (scatter.takesAny() ? ", or one node's where one is likely to have all" : ""));
      return;
    }
    String rows = merge.pullsRows() ? "the rows" : "a part of the result";
    if (merge.parts().isEmpty()) {
      how.put(
          "Run", "scatter, each node gives " + rows + " by the worker query; one node finishes it");
    } else {
      how.put("Run", "gather, one node runs it over the rows that all give by the worker query");
      how.put("Reason", merge.reason());
    }
    how.put("Worker query", merge.worker());
    if (merge.workerOfOne() != null) {
      how.put("Worker query of the first of these nodes", merge.workerOfOne());
    }
    how.put("Finish", merge.combine());
  }

  private static final String GROUPS =
      "broadcast join, each node groups those of its own rows that the rows that all give can meet;"
          + " one node joins the groups";

  private static final String BROADCAST =
      "broadcast join, each node joins its own rows with the rows that all give";

  private static final String DIVIDES =
      "repartition join, each node joins its own rows with those that can meet them there";

  private static void addJoin(MergeFacts merge, Map<String, String> how) {
    MergeFacts rows = merge.broadcast().rows();
    boolean groups = !merge.broadcast().merge().parts().isEmpty();
    how.put("Run", groups ? GROUPS : merge.broadcast().splits().isEmpty() ? BROADCAST : DIVIDES);
    for (MergeFacts.Split split : merge.broadcast().splits()) {
      String by = split.isByHash() ? "by its hash" : "as the rows of " + split.table();
      how.put(
          "Rows of part " + split.part(),
          "divided by their column " + (split.column() + 1) + ", " + by);
    }
    how.put("Reason", merge.reason());
    if (rows.worker() != null) {
      how.put("Worker query", rows.worker());
    }
    if (rows.workerOfOne() != null) {
      how.put("Worker query of the first of these nodes", rows.workerOfOne());
    }
    how.put("Join query", merge.broadcast().merge().worker());
    how.put("Finish", merge.broadcast().merge().combine());
  }

  private static void addChange(Route.GatheredWrite write, Map<String, String> how) {
    MergeFacts merge = write.rows().merge();
    String whose = write.copies() ? "its copy" : "its own rows";
    how.put("Run", "gathered, each node changes " + whose + " by the rows that others give");
    how.put("Reason", merge.reason());
    if (merge.worker() != null) {
      how.put("Worker query", merge.worker());
    }
    if (merge.workerOfOne() != null) {
      how.put("Worker query of node " + write.rows().nodes().get(0), merge.workerOfOne());
    }
    how.put("Change", merge.combine());
  }

  private static String ofCall(ProcedureFacts procedure) {
    String merge = procedure.merge().name().toLowerCase(Locale.ROOT);
    String results = procedure.columns().isEmpty() ? "" : "; results are merged by " + merge;
    return "call, each node runs the body on its own rows" + results;
  }

  /** The class of a transaction of this statement alone; null for reads. */
  private ClassChoice choice() {
    if (route instanceof Route.Procedure procedure) {
      return procedures.explain(statement(), inner, procedure, bind);
    } else if (!inner.writes()) {
      return null;
    } else if (nodes().size() == 1) {
      return ClassChoice.single();
    }
    TransactionWork work = new TransactionWork();
    work.enters(inner);
    work.refuse(TransactionWork.SEVERAL_NODES);
    return new ClassChoice(
        CommitClass.COORDINATED,
        ClassChoice.obstacle(context.transactions().state(), context.backends(), work),
        null);
  }

  private SharedStatement statement() {
    return new SharedStatement(NodeStatement.of(command.inner(), inner.facts().parameters()));
  }

  /**
   * The statement that EXPLAIN is about.
   *
   * @param values those of the EXPLAIN
   */
  BoundStatement statement(BindMessage values) {
    return new BoundStatement(statement(), inner, values, false);
  }

  /** How that is run. */
  Route route() {
    return route;
  }

  /**
   * Whether ANALYZE has the statement run as ever, to tell what moves between nodes; else it is the
   * plans of nodes that run it.
   */
  boolean runsItself() {
    boolean moves =
        route instanceof Route.GatheredInsert
            || route instanceof Route.GatheredWrite
            || route instanceof Route.MovedRows
            || route instanceof Route.Steps
            || route instanceof Route.Scatter scatter && scatter.isFinishedByNode();
    return command.analyze() && moves;
  }

  /** Whether nodes are to run what they show the plans of. */
  private boolean analyzesParts() {
    return command.analyze() && (!runsItself() || Executor.isRepeatable(inner));
  }

  private String explaining(String sql) {
    return analyzesParts() ? command.ofText(sql) : command.planOf(sql);
  }

  private static String rounds(CommitClass commitClass) {
    return switch (commitClass) {
      case SINGLE -> "the node's own";
      case COMMUTING -> "one round, each node does and commits its part";
      case INDEPENDENT -> "two rounds without a vote";
      case COORDINATED -> "two-phase commit";
    };
  }

  /** Which nodes give a plan: all that run it, or one. */
  public List<Part> parts() {
    if (route instanceof Route.GatheredInsert insert) {
      return partsOf(insert);
    } else if (route instanceof Route.MovedRows moved) {
      return partsOf(moved);
    } else if (route instanceof Route.GatheredWrite write) {
      return partsOf(write);
    }
    List<Part> parts = new ArrayList<>();
    if (route instanceof Route.Split split) {
      for (Route.Part part : split.parts()) {
        parts.add(part(part.node(), part.sql(), "Plan"));
      }
    } else if (route instanceof Route.Scatter scatter) {
      parts.addAll(partsOf(scatter, command.inner()));
    } else if (hasPlan()) {
      nodes().forEach(node -> parts.add(part(node, command.inner(), "Plan")));
    }
    return analyzesParts() || parts.isEmpty() ? parts : List.of(preferred(parts));
  }

  private List<Part> partsOf(Route.Scatter scatter, String sql) {
    if (Executor.isBroadcastJoin(inner, scatter)) {
      return partsOfJoin(scatter);
    }
    boolean combines = scatter.isFinishedByNode();
    boolean windowed = scatter.window() != null && scatter.merge().window().text() != null;
    String own = windowed ? scatter.merge().window().text() : sql;
    return scatter.nodes().stream()
        .map(
            node ->
                combines
                    ? part(node, scatter.merge().worker(), "Worker plan")
                    : part(node, own, "Plan"))
        .toList();
  }

  /** Nodes that give rows, and one that joins its own, here with none. */
  private List<Part> partsOfJoin(Route.Scatter scatter) {
    MergeFacts rows = scatter.merge().broadcast().rows();
    int first = scatter.nodes().get(0);
    List<Part> parts = new ArrayList<>();
    for (int node : analyzesParts() ? scatter.nodes() : List.of(first)) {
      boolean givesMore = node == first && rows.workerOfOne() != null;
      parts.add(part(node, givesMore ? rows.workerOfOne() : rows.worker(), "Worker plan"));
    }
    String joins = scatter.merge().broadcast().merge().worker();
    parts.add(overNoRows(first, joins, rows.combineParameters(), "Join plan"));
    return parts;
  }

  /** One node that selects, and one that inserts, here no rows. */
  private List<Part> partsOf(Route.GatheredInsert insert) {
    String source = insert.facts().source();
    Part select;
    if (insert.source() instanceof Route.Scatter scatter) {
      select = preferred(partsOf(scatter, source));
    } else if (insert.source() instanceof Route.OneNode one) {
      select = part(one.node(), source, "Plan");
    } else {
      select = part(context.backends().home(inner.router().catalog()).nodeId, source, "Plan");
    }
    return List.of(select, insertPart(insert.nodes(), insert.facts()));
  }

  private Part insertPart(List<Integer> nodes, GatheredFacts facts) {
    List<Integer> types = facts.insertFacts().parameters();
    return overNoRows(nodes.get(0), facts.insert(), types, "Insert plan");
  }

  /** One node that deletes, and one that inserts, here no rows; or what leads to the rows. */
  private List<Part> partsOf(Route.MovedRows moved) {
    if (moved.source() instanceof Route.GatheredWrite write) {
      return partsOf(write);
    }
    int node =
        moved.source() instanceof Route.OneNode one
            ? one.node()
            : ((Route.ScatterWrite) moved.source()).nodes().get(0);
    return List.of(
        part(node, moved.facts().source(), "Delete plan"),
        insertPart(moved.nodes(), moved.facts()));
  }

  /** One node that gives rows, and one that changes its own, here by no rows. */
  private List<Part> partsOf(Route.GatheredWrite write) {
    MergeFacts merge = write.rows().merge();
    String rows = merge.workerOfOne() == null ? merge.worker() : merge.workerOfOne();
    return List.of(
        part(write.rows().nodes().get(0), rows, "Worker plan"),
        overNoRows(
            write.nodes().get(0), merge.combine(), merge.combineParameters(), "Change plan"));
  }

  /**
   * What takes arrays of rows, when these are empty.
   *
   * @param types of all parameters, the client's own first
   */
  private Part overNoRows(int node, String sql, List<Integer> types, String what) {
    ByteQueue none = new ByteQueue(2);
    none.append(new byte[] {'{', '}'});
    int own = inner.facts().parameters().size();
    return new Part(
        node,
        context.backends().backend(inner.router().catalog(), node),
        NodeStatement.of(command.planOf(sql), types),
        what,
        Collections.nCopies(types.size() - own, none));
  }

  /** PostgreSQL has none of what is called, nor of commands. */
  private boolean hasPlan() {
    return !command.call()
        && !(route instanceof Route.Procedure)
        && !(route instanceof Route.AllNodes all && all.purpose() != Route.Purpose.REFERENCE_WRITE);
  }

  private Part part(int node, String sql, String what) {
    Backend backend = context.backends().backend(inner.router().catalog(), node);
    NodeStatement statement = NodeStatement.of(explaining(sql), inner.facts().parameters());
    return new Part(node, backend, statement, what, List.of());
  }

  /** One of a node that the transaction is on already, if there is one. */
  private static Part preferred(List<Part> parts) {
    return parts.stream().filter(part -> part.backend().begun).findFirst().orElse(parts.get(0));
  }
}
