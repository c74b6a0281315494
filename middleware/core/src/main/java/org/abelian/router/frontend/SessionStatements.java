package org.abelian.router.frontend;

import java.io.IOException;
import java.util.List;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.backend.Backend;
import org.abelian.router.catalog.CatalogStore;
import org.abelian.router.engine.EngineContext;
import org.abelian.router.error.AbelianException;
import org.abelian.router.execution.ClientError;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.Utf8;
import org.abelian.router.session.Transactions;
import org.abelian.router.statement.AnalysedStatement;
import org.abelian.router.statement.Analyzer;
import org.abelian.router.statement.BoundTemplate;
import org.abelian.router.statement.ClientStatements;
import org.abelian.router.statement.ClientStatements.Signature;
import org.abelian.router.statement.ExplainCommand;
import org.abelian.router.statement.QueryPieces;
import org.abelian.router.statement.SessionCatalog;
import org.abelian.router.statement.SharedStatement;
import org.abelian.router.statement.StatementCache;
import org.abelian.router.statement.StatementSplitter;
import org.abelian.router.statement.TransactionCommand;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The statements of a client: by its names, and with what is known about them. */
public final class SessionStatements {
  private static final Logger LOG = LoggerFactory.getLogger(SessionStatements.class);

  /** The OID of the type of a literal that nothing gives a type. */
  private static final int UNKNOWN = 705;

  private final StatementCache shared;
  private final ClientStatements named;
  private final Analyzer analyzer;
  private final KeyGeneration keys;
  private final EngineContext context;
  private final CatalogStore catalogs;
  private final SessionCatalog own;

  public SessionStatements(
      StatementCache shared,
      ClientStatements named,
      Analyzer analyzer,
      KeyGeneration keys,
      EngineContext context,
      CatalogStore catalogs,
      SessionCatalog own) {
    this.shared = shared;
    this.named = named;
    this.analyzer = analyzer;
    this.keys = keys;
    this.context = context;
    this.catalogs = catalogs;
    this.own = own;
  }

  /** The statement of a Parse message's body, shared with all sessions that use the text. */
  public SharedStatement intern(byte[] body) {
    return shared.intern(body);
  }

  /** Those that the client has given names. */
  public ClientStatements named() {
    return named;
  }

  /** What is to be kept of a statement that a client parses now. */
  Signature signature(SharedStatement statement, StatementFacts facts) {
    return Signature.of(statement, facts, context.scope().literals());
  }

  /**
   * A statement keeps the types that its parameters had when the client parsed it, although they
   * would be inferred otherwise now that the schema has changed: clients send values of these.
   *
   * @return true when it says them from now on, and is another statement
   */
  boolean keepTypes(byte[] array, int from, int to, AnalysedStatement analysed) {
    Signature parsed = named.signature(array, from, to);
    List<Integer> types = parsed.inferred();
    if (types == null || types.equals(analysed.routed().facts().parameters())) {
      return false;
    }
    String sql = named.get(array, from, to).sql();
    Signature typed = new Signature(null, parsed.result(), parsed.settled(), parsed.literals());
    named.replace(array, from, to, intern(NodeStatement.of(sql, types).body()), typed);
    return true;
  }

  /**
   * A client's statement, whose literals keep the values that they had when the client parsed it,
   * although they would mean others now that a setting has changed. Null when there is none.
   */
  SharedStatement withLiterals(byte[] array, int from, int to) {
    SharedStatement statement = named.get(array, from, to);
    Signature parsed = statement == null ? Signature.NONE : named.signature(array, from, to);
    if (parsed.literals() == null || parsed.literals().equals(context.scope().literals())) {
      return statement;
    }
    List<Integer> types = parsed.inferred() == null ? statement.givenTypes() : parsed.inferred();
    SharedStatement settled = intern(NodeStatement.of(parsed.settled(), types).body());
    named.replace(array, from, to, settled, new Signature(null, parsed.result(), null, null));
    return settled;
  }

  /** Which statements run with keys of the router's. */
  public KeyGeneration keys() {
    return keys;
  }

  /** As below, for a statement that may be alone in its group of messages. */
  public AnalysedStatement analysed(SharedStatement statement) throws IOException {
    return analysed(statement, true);
  }

  /**
   * What is known about a statement; a node is asked if nothing is. Null when earlier answers must
   * come first.
   *
   * @param alone true when nothing else is in its group of messages
   * @throws RuntimeException the node's error about the text
   */
  public AnalysedStatement analysed(SharedStatement statement, boolean alone) throws IOException {
    if (!own.isCurrent()) {
      if (!context.replies().isEmpty()) {
        return null;
      }
      own.read();
    }
    if (context.backends().hasOtherTemporaryObjects(catalogs.current())) {
      context.scope().seesTemporaryObjects(); // A function or a trigger has made or dropped some.
    }
    boolean generates = keys.maySpread(alone);
    AnalysedStatement known = analyzer.known(statement, generates);
    if (!context.replies().isEmpty()) {
      return known;
    }
    if (known == null) {
      Backend analyst = analyst();
      known = analyst == null ? null : analyzer.analyse(analyst, statement, generates);
    }
    if (known != null && analyzer.wantsTemplates() && !context.scope().needsOwnNode()) {
      learnTemplates();
    }
    return known;
  }

  /**
   * What is to run in the place of a text, as if the client had prepared it; null when the text
   * itself is. No node is asked.
   */
  BoundTemplate template(SharedStatement statement) {
    return own.isCurrent() ? analyzer.boundTemplate(statement) : null;
  }

  /** The statement does not need them: where no node can be asked now, it goes on without. */
  private void learnTemplates() {
    try {
      analyzer.learnTemplates(analyst());
    } catch (IOException | AbelianException unanswered) {
      LOG.debug("no templates were analysed: {}", unanswered.getMessage());
    }
  }

  /**
   * The statements in the text of a simple query; null when earlier answers must come first.
   *
   * @param standardStrings true when a backslash in an ordinary string is only a character
   * @throws RuntimeException the node's error about the text
   */
  QueryPieces pieces(String text, boolean standardStrings) throws IOException {
    QueryPieces guess = new QueryPieces(StatementSplitter.split(text, standardStrings), List.of());
    boolean certain =
        guess.texts().size() < 2
            || context.transactions().state().isFailed()
            || guess.texts().stream().anyMatch(SessionStatements::explainsCall);
    if (certain) {
      return guess;
    }
    SharedStatement whole = intern(NodeStatement.of(text).body());
    QueryPieces known = analyzer.pieces(whole);
    if (known != null && standardStrings || !context.replies().isEmpty()) {
      return known;
    }
    Backend analyst = context.backends().home(catalogs.current());
    return analyst.isUsable() ? analyzer.split(analyst, whole, guess, standardStrings) : guess;
  }

  /** What no node can parse. */
  private static boolean explainsCall(String text) {
    ExplainCommand explain = ExplainCommand.of(text);
    return explain != null && explain.call();
  }

  /**
   * The node that is asked what a text is: one that sees what the session sees. Null when it must
   * join the transaction first, of which it has then been told.
   */
  private Backend analyst() {
    Backend backend = context.backends().home(catalogs.current());
    if (!context.scope().needsOwnNode()) {
      return backend;
    }
    boolean mustJoin = context.transactions().state().isOpen() && !backend.begun;
    // Temporary objects are the connection's: SET TRANSACTION must find no query before it.
    if (mustJoin && context.scope().isChangedByTransaction()) {
      context.transactions().enter(backend, false);
      return null;
    }
    context.backends().connect(backend);
    return backend;
  }

  /**
   * Refuses a text that is no UTF-8.
   *
   * @throws ClientError 22021
   */
  static void requireUtf8(byte[] array, int from, int to, String text) {
    requireUtf8(Utf8.malformed(array, from, to, text));
  }

  private static void requireUtf8(String malformed) {
    if (malformed != null) {
      throw ClientError.of("22021", "invalid byte sequence for encoding \"UTF8\": " + malformed);
    }
  }

  /** Refuses what a failed transaction does not allow. */
  public void requireSound(SharedStatement statement) {
    requireUtf8(statement.malformed());
    if (context.transactions().state().isFailed()
        && !endsTransaction(statement)
        && !statement.isBlank()) {
      throw Transactions.aborted();
    }
  }

  /**
   * Refuses a statement of which a parameter may have any type.
   *
   * @param types of its parameters
   * @throws ClientError 42P18 as PostgreSQL says it when a statement is prepared
   */
  static void requireTypes(List<Integer> types) {
    for (int i = 0; i < types.size(); i++) {
      if (types.get(i) == 0 || types.get(i) == UNKNOWN) {
        throw ClientError.of("42P18", "could not determine data type of parameter $" + (i + 1));
      }
    }
  }

  private static boolean endsTransaction(SharedStatement statement) {
    TransactionCommand command = statement.command();
    return command != null
        && (command.kind() == TransactionCommand.Kind.COMMIT
            || command.kind() == TransactionCommand.Kind.ROLLBACK
            || command.kind() == TransactionCommand.Kind.ROLLBACK_TO);
  }
}
