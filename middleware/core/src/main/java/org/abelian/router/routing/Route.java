package org.abelian.router.routing;

import java.util.List;
import org.abelian.router.analysis.CopyFacts;
import org.abelian.router.analysis.GatheredFacts;
import org.abelian.router.analysis.MergeFacts;
import org.abelian.router.analysis.ProcedureFacts;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.catalog.LookupIndex;
import org.abelian.router.error.AbelianException;
import org.abelian.router.execution.CopyDivision;
import org.abelian.router.placement.KeyValue;

/** Where a statement goes. Nodes are named by their id in the catalogue that it was routed by. */
public sealed interface Route {
  /** The route without what lookup indexes have to do with it. */
  default Route plain() {
    return this;
  }

  /** The statement goes to one node, byte for byte. */
  record OneNode(int node) implements Route {}

  /** Every node can answer it alike: the session takes the one it already holds. */
  record AnyNode() implements Route {}

  /** Every node runs it, and the first node's answer is the client's. */
  record AllNodes(Purpose purpose) implements Route {}

  /**
   * A read over several nodes, whose answers are merged.
   *
   * @param nodes ascending; at least two
   * @param window which of the rows are passed on, if any will do; null when there is none, or one
   *     node is to take them
   */
  record Scatter(List<Integer> nodes, MergeFacts merge, Window window) implements Route {
    /** Copies the list. */
    public Scatter {
      nodes = List.copyOf(nodes);
    }

    /** As the facts say. */
    public Scatter(List<Integer> nodes, MergeFacts merge) {
      this(nodes, merge, null);
    }

    /** True when one node makes the answer of what the others give. */
    public boolean isFinishedByNode() {
      return merge.mode() == MergeFacts.Mode.COMBINE && window == null;
    }

    /**
     * True when it takes any so many rows, be they of one node. Not where OFFSET skips some, as
     * those who page by it want the rows in the same order each time.
     */
    public boolean takesAny() {
      return window != null && window.rows() > 0 && merge.window().text() == null;
    }

    /** The same, with the rows taken by one node. */
    public Scatter finishedByNode() {
      return new Scatter(nodes, merge);
    }
  }

  /**
   * Which of the rows that nodes give one after the other are the client's.
   *
   * @param skipped how many come before
   * @param rows how many at most
   */
  record Window(long skipped, long rows) {}

  /**
   * An UPDATE or DELETE over several nodes: the same text goes to each, the counts of their tags
   * are added, and rows of RETURNING are given one node after the other.
   *
   * @param nodes ascending; at least two
   */
  record ScatterWrite(List<Integer> nodes) implements Route {
    /** Copies the list. */
    public ScatterWrite {
      nodes = List.copyOf(nodes);
    }
  }

  /**
   * A multi-row INSERT whose rows belong to several nodes: each node runs its own text; counts are
   * added.
   *
   * @param order for each row of the statement, which of the parts has it, from 0
   */
  record Split(List<Part> parts, List<Integer> order) implements Route {
    /** Copies the lists. */
    public Split {
      parts = List.copyOf(parts);
      order = List.copyOf(order);
    }
  }

  /**
   * An INSERT ... SELECT or a MERGE whose rows come to the router, and go from there to their
   * nodes.
   *
   * @param source where its rows are selected
   * @param facts the statements
   * @param nodes where rows may go, ascending
   * @param home finds the node of a row; null when each goes to all nodes
   */
  record GatheredInsert(Route source, GatheredFacts facts, List<Integer> nodes, RowHome home)
      implements Route {
    /** Copies the list. */
    public GatheredInsert {
      nodes = List.copyOf(nodes);
    }
  }

  /**
   * An UPDATE that gives rows new keys: they are deleted where they are, come to the router as they
   * are to be, and go from there to the nodes of their new keys.
   *
   * @param source where rows are deleted: {@link OneNode}, {@link ScatterWrite} or {@link
   *     GatheredWrite}
   * @param facts the statements
   * @param nodes where rows may go, ascending
   * @param home finds the node of a new row
   */
  record MovedRows(Route source, GatheredFacts facts, List<Integer> nodes, RowHome home)
      implements Route {
    /** Copies the list. */
    public MovedRows {
      nodes = List.copyOf(nodes);
    }
  }

  /**
   * A change of rows by those of other nodes: the router takes the latter, and gives them to the
   * nodes of the former.
   *
   * @param rows reads them, be it from one node
   * @param nodes that may have rows to change, ascending
   * @param copies true when the rows that change are the same on all of these
   */
  record GatheredWrite(Scatter rows, List<Integer> nodes, boolean copies) implements Route {
    /** Copies the list. */
    public GatheredWrite {
      nodes = List.copyOf(nodes);
    }
  }

  /**
   * A MERGE that is several changes, one after the other: each goes its own way, and their counts
   * are added.
   */
  record Steps(List<Step> steps) implements Route {
    /** Copies the list. */
    public Steps {
      steps = List.copyOf(steps);
    }
  }

  /** One of several changes, which has the parameters of the whole. */
  record Step(String sql, StatementFacts facts, Route route) {}

  /**
   * A CREATE TABLE AS or SELECT INTO of rows of several nodes: the table is made empty, and the
   * first node gets the rows.
   *
   * @param source where the rows come from
   * @param creation where the table is made: on all nodes, or a temporary one on the first
   */
  record GatheredTable(Route source, Route creation, GatheredFacts facts) implements Route {}

  /** A COPY TO the client of rows that may come from several nodes: the router writes them. */
  record CopyOut() implements Route {}

  /** Finds the node of a row. */
  @FunctionalInterface
  interface RowHome {
    /**
     * The node's id.
     *
     * @param row values in text form, null for NULL
     * @throws AbelianException when there can be no such row
     */
    int nodeOf(byte[][] row);
  }

  /**
   * A change of rows of which lookup indexes must be told.
   *
   * @param inner how the rows are changed: on one node, by a {@link ScatterWrite} or a {@link
   *     Split}
   */
  record Keeping(Route inner) implements Route {
    @Override
    public Route plain() {
      return inner;
    }
  }

  /**
   * A statement about the one row that a lookup index leads to.
   *
   * @param value of the indexed column
   * @param otherwise the route over several nodes, should the index not lead to the row
   */
  record Lookup(LookupIndex index, KeyValue value, Route otherwise) implements Route {
    @Override
    public Route plain() {
      return otherwise.plain();
    }
  }

  /**
   * A COPY FROM whose lines belong to several nodes.
   *
   * @param nodes ascending
   * @param division which node gets which line; null when each gets all of them as they are
   * @param added columns that each line gets; null for none
   */
  record CopyIn(String table, List<Integer> nodes, CopyDivision division, CopyFacts.Addition added)
      implements Route {
    /** Copies the list. */
    public CopyIn {
      nodes = List.copyOf(nodes);
    }
  }

  /**
   * The call of a distributed procedure: each participant runs it on the rows it has.
   *
   * @param nodes the participants that its arguments name, in their order; at least one
   * @param all every node that may take part
   * @param homes the node of each of its blind operations; empty when it is more than blind
   *     operations, or when one has no node
   */
  record Procedure(
      ProcedureFacts procedure, List<Integer> nodes, List<Integer> all, List<Integer> homes)
      implements Route {
    /** Copies the lists. */
    public Procedure {
      nodes = List.copyOf(nodes);
      all = List.copyOf(all);
      homes = List.copyOf(homes);
    }
  }

  /**
   * DECLARE, FETCH or CLOSE of a cursor over several nodes, which the session keeps. Its query is
   * routed by itself.
   */
  record Cursor() implements Route {}

  /** It cannot be done correctly; the client gets the error and no node hears of it. */
  record Refused(AbelianException error) implements Route {}

  /**
   * A node's share of a split statement.
   *
   * @param sql refers to the same parameters by the same numbers as the whole; all of them are
   *     bound, and their types must be given in Parse, since the text may no longer mention each
   */
  record Part(int node, String sql) {}

  /** Why all nodes run a statement. */
  enum Purpose {
    /** It changes a reference table: one coordinated transaction. */
    REFERENCE_WRITE,
    /** It changes the schema: one coordinated transaction. */
    SCHEMA,
    /**
     * It cannot run in a transaction block (VACUUM, CREATE INDEX CONCURRENTLY): one node after the
     * other.
     */
    NODE_BY_NODE,
    /**
     * It calls one of Abelian's placement functions: one coordinated transaction, and a newer
     * catalogue after it.
     */
    CLUSTER_CALL,
    /**
     * A DO block that may change the schema: one coordinated transaction, in which all nodes must
     * come to the same changes.
     */
    BLOCK,
    /** It concerns tables wherever they lie (LOCK, TRUNCATE): one transaction. */
    ALL_TABLES
  }
}
