package org.abelian.router.explain;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.abelian.router.analysis.MergeFacts;
import org.abelian.router.analysis.ProcedureFacts;
import org.abelian.router.backend.Backend;
import org.abelian.router.catalog.Node;
import org.abelian.router.engine.BoundStatement;
import org.abelian.router.engine.EngineContext;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.procedure.ProcedureCalls;
import org.abelian.router.protocol.BindMessage;
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
   * @param title stands above it
   */
  public record Part(Backend backend, String sql, String title) {}

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
    int all = inner.router().catalog().nodes().size();
    lines.add(
        nodes.stream()
            .map(String::valueOf)
            .collect(
                Collectors.joining(
                    ", ", "Router: " + nodes.size() + " of " + all + " nodes (", ")")));
    RouteText.keys(inner.facts(), inner.router().catalog(), values)
        .forEach(key -> lines.add("  Key: " + key));
    if (route instanceof Route.Procedure procedure) {
      procedures
          .learned(inner, procedure, bind)
          .reasons()
          .forEach(reason -> lines.add("  Learned: " + reason));
    }
    how().forEach(line -> lines.add("  " + line));
    ClassChoice choice = choice();
    if (choice != null) {
      String text = choice.toString();
      lines.add("  " + text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1));
      lines.add("  Commit: " + rounds(choice.commitClass()));
    }
    return lines;
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
    } else if (route instanceof Route.Procedure procedure) {
      return procedures.participants(inner, procedure, bind);
    } else if (route instanceof Route.AnyNode) {
      return List.of(context.backends().home(inner.router().catalog()).nodeId);
    }
    return inner.router().catalog().nodes().stream().map(Node::id).toList();
  }

  private List<String> how() {
    if (route instanceof Route.AnyNode) {
      return List.of("Run: on any node, here the one that the session uses");
    } else if (route instanceof Route.OneNode) {
      return List.of("Run: on one node, as it is");
    } else if (route instanceof Route.Scatter scatter) {
      return ofRead(scatter.merge());
    } else if (route instanceof Route.ScatterWrite) {
      return List.of("Run: scatter, each node changes its own rows");
    } else if (route instanceof Route.Split split) {
      return List.of("Run: split, each node inserts the rows that are its own");
    } else if (route instanceof Route.Procedure procedure) {
      return ofCall(procedure.procedure());
    }
    return List.of("Run: on all nodes alike, on the first before the others");
  }

  private List<String> ofRead(MergeFacts merge) {
    if (merge.mode() != MergeFacts.Mode.COMBINE) {
      return List.of(
          "Run: scatter, each node reads its own rows; they are given one node's after the"
              + " other's");
    }
    String rows = merge.pullsRows() ? "the rows" : "a part of the result";
    List<String> lines = new ArrayList<>();
    if (merge.parts().isEmpty()) {
      lines.add(
          "Run: scatter, each node gives " + rows + " by the worker query; one node finishes it");
    } else {
      lines.add("Run: gather, one node runs it over the rows that all give by the worker query");
      lines.add("Reason: " + merge.reason());
    }
    addQuery("Worker query:", merge.worker(), lines);
    if (merge.workerOfOne() != null) {
      addQuery("Worker query of the first of these nodes:", merge.workerOfOne(), lines);
    }
    addQuery("Finish:", merge.combine(), lines);
    return lines;
  }

  /** PostgreSQL writes queries in several lines. */
  private static void addQuery(String title, String sql, List<String> lines) {
    lines.add(title);
    sql.lines().forEach(line -> lines.add(line.startsWith(" ") ? " " + line : "  " + line));
  }

  private static List<String> ofCall(ProcedureFacts procedure) {
    String merge = procedure.merge().name().toLowerCase(Locale.ROOT);
    String results = procedure.columns().isEmpty() ? "" : "; results are merged by " + merge;
    return List.of("Run: call, each node runs the body on its own rows" + results);
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
    List<Part> parts = new ArrayList<>();
    if (route instanceof Route.Split split) {
      for (Route.Part part : split.parts()) {
        parts.add(part(part.node(), part.sql(), "Plan"));
      }
    } else if (route instanceof Route.Scatter scatter
        && scatter.merge().mode() == MergeFacts.Mode.COMBINE) {
      nodes().forEach(node -> parts.add(part(node, scatter.merge().worker(), "Worker plan")));
    } else if (hasPlan()) {
      nodes().forEach(node -> parts.add(part(node, command.inner(), "Plan")));
    }
    return command.analyze() || parts.isEmpty() ? parts : List.of(preferred(parts));
  }

  /** PostgreSQL has none of what is called, nor of commands. */
  private boolean hasPlan() {
    return !command.call()
        && !(route instanceof Route.Procedure)
        && !(route instanceof Route.AllNodes all && all.purpose() != Route.Purpose.REFERENCE_WRITE);
  }

  private Part part(int node, String sql, String title) {
    Backend backend = context.backends().backend(inner.router().catalog(), node);
    return new Part(backend, sql, title + " of node " + node + ":");
  }

  /** One of a node that the transaction is on already, if there is one. */
  private static Part preferred(List<Part> parts) {
    return parts.stream().filter(part -> part.backend().begun).findFirst().orElse(parts.get(0));
  }
}
