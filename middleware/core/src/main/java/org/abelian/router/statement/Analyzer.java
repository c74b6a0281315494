package org.abelian.router.statement;

import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.abelian.router.analysis.FactsParser;
import org.abelian.router.analysis.GatheredFacts;
import org.abelian.router.analysis.InsteadFacts;
import org.abelian.router.analysis.MadeFacts;
import org.abelian.router.analysis.ParameterTypes;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.analysis.StatementKind;
import org.abelian.router.analysis.UtilityKind;
import org.abelian.router.backend.Backend;
import org.abelian.router.backend.BackendSession;
import org.abelian.router.backend.SessionSettings;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.ObjectNumbers;
import org.abelian.router.execution.QueryResult;
import org.abelian.router.pool.NodeAddress;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.routing.Routing;

/**
 * Finds out what statements are, by asking a node about each text once. What it says is kept with
 * the text, for all sessions that read it alike.
 */
public final class Analyzer {
  private static final NodeStatement ANALYZE =
      NodeStatement.of("SELECT abelian.analyze($1::text, $2::oid[])::text");

  /** The same, and how an INSERT is run with random keys that the router generates. */
  private static final NodeStatement ANALYZE_KEYS =
      NodeStatement.of(
          "SELECT abelian.analyze($1::text, $2::oid[])::text"
              + " FROM set_config('abelian.random_keys', 'on', true)");

  private static final NodeStatement STATEMENTS =
      NodeStatement.of("SELECT abelian.statements($1::text)::text");

  private static final int WANTED_MAX = 16;

  /** A node whose extension is older has not that function. */
  private static final String UNDEFINED_FUNCTION = "42883";

  private final BackendSession backends;
  private final SessionSettings settings;
  private final SchemaScope scope;
  private final StatementCache statements;
  private final SessionCatalog catalogs;
  private final LongSupplier schemaEpoch;
  private final ObjectNumbers numbers;
  private final boolean tracesNothing;
  private final Runnable asked;

  /** Templates that come often. */
  private final Set<SharedStatement> wanted = new LinkedHashSet<>();

  /** The text whose template was read last. */
  private SharedStatement read;

  /** What came of it; null when it has none. */
  private LiteralTemplate template;

  /**
   * @param schemaEpoch grows when a schema was changed through this router
   * @param numbers by which clients know users' types
   * @param tracesNothing false when somebody records the values in statements
   * @param asked told each time a node is asked about a text
   */
  public Analyzer(
      BackendSession backends,
      SessionSettings settings,
      SchemaScope scope,
      StatementCache statements,
      SessionCatalog catalogs,
      LongSupplier schemaEpoch,
      ObjectNumbers numbers,
      boolean tracesNothing,
      Runnable asked) {
    this.backends = backends;
    this.settings = settings;
    this.scope = scope;
    this.statements = statements;
    this.catalogs = catalogs;
    this.schemaEpoch = schemaEpoch;
    this.numbers = numbers;
    this.tracesNothing = tracesNothing;
    this.asked = asked;
  }

  /**
   * What is known about the statement, or null: then a node is to be asked by {@link #analyse}.
   *
   * @param keys whether it must be known how it is run with random keys of the router's
   */
  public AnalysedStatement known(SharedStatement statement, boolean keys) {
    // Also when another session has analysed it: a connection must not speak for an older version.
    settings.placementVersion(catalogs.committed().version());
    AnalysedStatement known = knownAs(statement, keys);
    return known != null ? known : byTemplate(statement);
  }

  private AnalysedStatement knownAs(SharedStatement statement, boolean keys) {
    Catalog catalog = catalogs.current();
    if (statement.known() instanceof AnalysedStatement known
        && known.scope().equals(scope.current())
        && known.epoch() == schemaEpoch.getAsLong()
        && known.routed().router().catalog() == catalog
        && !(keys && known.lacksGenerated())) {
      return known;
    }
    return null;
  }

  /**
   * Asks a node; nothing else may wait to be answered.
   *
   * @param analyst a node that sees what the session sees
   * @throws RuntimeException the node's error about the text
   */
  public AnalysedStatement analyse(Backend analyst, SharedStatement statement, boolean keys)
      throws IOException {
    long epoch = schemaEpoch.getAsLong();
    Object own = scope.current();
    Catalog catalog = catalogs.current();
    Compiled compiled = compile(analyst, statement, catalog, keys);
    if (!scope.isOwn() && compiled.routed().facts().usesTemporary()) {
      scope.seesTemporaryObjects(); // What others know by this text is another table.
      own = scope.current();
    }
    AnalysedStatement analysed =
        new AnalysedStatement(
            own, epoch, compiled.routed(), compiled.toldKeys(), compiled.generated());
    statement.known(analysed);
    learnTemplate(statement, analysed);
    return analysed;
  }

  /** What is known about a text that differs in its literals from others; null when nothing is. */
  private AnalysedStatement byTemplate(SharedStatement statement) {
    LiteralTemplate template = template(statement);
    SharedStatement common = template == null ? null : statements.find(template.statement().body());
    AnalysedStatement known = common == null ? null : knownAs(common, false);
    AnalysedStatement found =
        known == null ? null : TemplateFacts.of(known, statement.sql(), template.values());
    if (found != null) {
      statement.known(found);
    }
    return found;
  }

  /**
   * The template of a text about which nothing is known, to be run in its place with its literals
   * for values; null when there is none, or the text is better run itself.
   */
  public BoundTemplate boundTemplate(SharedStatement statement) {
    settings.placementVersion(catalogs.committed().version());
    if (knownAs(statement, false) != null) {
      return null;
    }
    LiteralTemplate literals = template(statement);
    SharedStatement common = literals == null ? null : statements.find(literals.statement().body());
    AnalysedStatement known = common == null ? null : knownAs(common, false);
    return known == null ? null : TemplateFacts.bound(common, known, literals);
  }

  private LiteralTemplate template(SharedStatement statement) {
    if (statement != read) {
      read = statement;
      template = readTemplate(statement);
    }
    return template;
  }

  private LiteralTemplate readTemplate(SharedStatement statement) {
    boolean whole =
        tracesNothing
            && statement.command() == null
            && statement.explain() == null
            && statement.statement().types().length == 0;
    return whole ? LiteralTemplate.of(statement.sql()) : null;
  }

  /**
   * A text has come that may have others like it: with the third one, the template is wanted, too.
   */
  private void learnTemplate(SharedStatement statement, AnalysedStatement analysed) {
    StatementFacts facts = analysed.routed().facts();
    LiteralTemplate template =
        TemplateFacts.stand(facts) || TemplateFacts.areBindable(facts) ? template(statement) : null;
    if (template != null && wanted.size() < WANTED_MAX) {
      SharedStatement common = statements.intern(template.statement().body());
      if (common.wasMissing() && !common.isUnfit()) {
        wanted.add(common);
      }
    }
  }

  /** True when templates are to be analysed, as soon as that does no harm. */
  public boolean wantsTemplates() {
    return !wanted.isEmpty();
  }

  /**
   * Analyses the templates of texts that have come, unless an error would end a transaction: with
   * an error a node says that the grammar wants a literal.
   *
   * @param analyst a node that sees what the session sees
   */
  public void learnTemplates(Backend analyst) throws IOException {
    if (!analyst.isUsable() || !isFree(analyst)) {
      return;
    }
    for (SharedStatement common : List.copyOf(wanted)) {
      wanted.remove(common);
      if (knownAs(common, false) != null) {
        continue; // Another session was faster.
      }
      try {
        analyse(analyst, common, false);
      } catch (ClientError refused) {
        common.unfit();
      }
    }
  }

  /** True when nothing of the session depends on what becomes of a question. */
  private static boolean isFree(Backend backend) {
    return !backend.begun && !backend.touched && !backend.isOwn();
  }

  private record Told(StatementFacts facts, MadeFacts made, InsteadFacts instead) {}

  private record Compiled(RoutedStatement routed, boolean toldKeys, GeneratedKeys generated) {}

  private Compiled compile(
      Backend analyst, SharedStatement statement, Catalog catalog, boolean keys)
      throws IOException {
    ExplainCommand explain = statement.explain();
    if (explain == null) {
      return compileWhole(analyst, statement, catalog, keys);
    }
    Told told = ask(analyst, statement, explain.inner(), false);
    if (told.facts().kind() != StatementKind.UTILITY || explain.call()) {
      return explained(explain, told, catalog);
    }
    GatheredFacts stored = stored(told);
    if (stored == null || explain.analyze()) {
      return compileWhole(analyst, statement, catalog, keys);
    }
    ExplainCommand ofSource = explain.about(stored.source(), null);
    return explained(ofSource, ask(analyst, statement, stored.source(), false), catalog);
  }

  /** What makes a table of rows, of which the plan is that of its query; null for others. */
  private static GatheredFacts stored(Told told) {
    return told.instead() instanceof GatheredFacts gathered
            && gathered.table() != null
            && gathered.table().create() != null
        ? gathered
        : null;
  }

  private Compiled explained(ExplainCommand explain, Told told, Catalog catalog) {
    String sql = explain.inner();
    StatementFacts facts = told.facts();
    GeneratedKeys generated = GeneratedKeys.of(told.made(), catalog, statements);
    return new Compiled(
        new RoutedStatement(explain, Routing.compile(sql, facts, told.instead(), catalog)),
        told.made() != null,
        generated == null ? null : generated.explained(explain, statements));
  }

  private Compiled compileWhole(
      Backend analyst, SharedStatement statement, Catalog catalog, boolean keys)
      throws IOException {
    String sql = statement.sql();
    Told told = ask(analyst, statement, sql, keys);
    return new Compiled(
        new RoutedStatement(Routing.compile(sql, told.facts(), told.instead(), catalog)),
        told.made() != null,
        GeneratedKeys.of(told.made(), catalog, statements));
  }

  /** The facts, in the numbers that clients know. */
  private String told(Backend analyst, String facts) {
    NodeAddress node = analyst.pool.address();
    return numbers.areClients(node)
        ? facts
        : ParameterTypes.translated(facts, type -> numbers.type(node, type));
  }

  /** What a node says about the text of a statement, or the part of it that is given. */
  private Told ask(Backend backend, SharedStatement statement, String sql, boolean keys)
      throws IOException {
    if (!backend.isUsable()) {
      throw new AbelianException(
          SqlState.CONNECTION_FAILURE,
          "the connection to " + backend + " was lost",
          "ROLLBACK the transaction.");
    }
    String types =
        IntStream.of(numbers.there(backend.pool.address(), statement.statement()).types())
            .mapToObj(Integer::toUnsignedString)
            .collect(Collectors.joining(",", "{", "}"));
    asked.run();
    QueryResult result = ask(backend, keys ? ANALYZE_KEYS : ANALYZE, sql, types);
    if (!result.succeeded()) {
      backend.skips = backend.touched;
      throw new ClientError(result.errorFields());
    }
    String told = told(backend, result.value());
    List<StatementFacts> facts = FactsParser.parse(told);
    if (facts.size() != 1) {
      throw ClientError.of("42601", "cannot insert multiple commands into a prepared statement");
    }
    StatementFacts only = facts.get(0);
    boolean isQuery = only.kind() == StatementKind.SELECT || only.kind().modifies();
    UtilityKind utility = only.command().utility();
    boolean hasBody = utility == UtilityKind.DO || utility == UtilityKind.CALL;
    if (isQuery || hasBody || only.command().storesRows()) {
      return new Told(only, FactsParser.made(told), FactsParser.instead(told));
    }
    boolean queries = utility == UtilityKind.DECLARE || utility == UtilityKind.COPY_TO;
    return new Told(only, queries ? FactsParser.made(told) : null, null);
  }

  /** The statements that a text has, or null: then a node is to be asked by {@link #split}. */
  public QueryPieces pieces(SharedStatement whole) {
    return whole.pieces();
  }

  /**
   * Asks a node which statements a text has; nothing else may wait to be answered.
   *
   * @param guess what counts when the node does not know
   * @param keeps true when the answer is the same for all sessions
   * @throws RuntimeException the node's error about the text
   */
  public QueryPieces split(Backend analyst, SharedStatement whole, QueryPieces guess, boolean keeps)
      throws IOException {
    QueryResult result = ask(analyst, STATEMENTS, whole.sql());
    if (!result.succeeded()) {
      ClientError error = new ClientError(result.errorFields());
      if (error.fields().sqlState().equals(UNDEFINED_FUNCTION) && !analyst.begun) {
        return guess;
      }
      analyst.skips = analyst.touched;
      throw error;
    }
    QueryPieces pieces = QueryPieces.of(whole.sql(), result.value());
    if (keeps) {
      whole.pieces(pieces);
    }
    return pieces;
  }

  /** The question changes nothing: over an idle connection that broke it is asked again. */
  private QueryResult ask(Backend backend, NodeStatement question, String... values)
      throws IOException {
    boolean repeatable = isFree(backend);
    try {
      return NodeCall.prepared(backend.connection, question, !backend.touched, values);
    } catch (NodeLostException lost) {
      if (!repeatable) {
        throw lost;
      }
    }
    backends.drop(backend);
    backends.connect(backend);
    return NodeCall.prepared(backend.connection, question, true, values);
  }
}
