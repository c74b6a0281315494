package org.abelian.router.frontend;

import java.io.IOException;
import java.util.Arrays;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.analysis.StatementKind;
import org.abelian.router.analysis.UtilityKind;
import org.abelian.router.backend.Backend;
import org.abelian.router.engine.BoundStatement;
import org.abelian.router.engine.CommandExecution;
import org.abelian.router.engine.EngineContext;
import org.abelian.router.engine.Execution;
import org.abelian.router.engine.SingleNodeExecution;
import org.abelian.router.error.AbelianException;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.FixedMessage;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.execution.PlanText;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.protocol.BigEndian;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.CString;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.routing.Route;
import org.abelian.router.session.Progress;
import org.abelian.router.statement.AnalysedStatement;
import org.abelian.router.statement.BoundParameters;
import org.abelian.router.statement.BoundTemplate;
import org.abelian.router.statement.ClientStatements.Signature;
import org.abelian.router.statement.GeneratedKeys;
import org.abelian.router.statement.NamedClose;
import org.abelian.router.statement.NamedParse;
import org.abelian.router.statement.RoutedStatement;
import org.abelian.router.statement.SharedStatement;
import org.abelian.router.statement.UnnamedChange;
import org.abelian.router.trace.TracedStatement;

/** Parse, Bind, Describe, Execute and Close. */
public final class ExtendedProtocol {
  private final EngineContext context;
  private final StatementStarter starter;
  private final SessionStatements statements;
  private final SessionCommands commands;
  private final ExecuteCommand executes;
  private final Portals portals;
  private final ByteQueue input;
  private final BindMessage bind = new BindMessage();
  private final BoundParameters values = new BoundParameters(bind);

  /** What the group does with what was bound last. */
  private final RunAhead ahead;

  private final ValueReading reading;

  /** A statement whose Describe waits for the Bind after it, which names the node. */
  private SharedStatement describeWithBind;

  public ExtendedProtocol(
      EngineContext context,
      StatementStarter starter,
      SessionStatements statements,
      SessionCommands commands,
      ExecuteCommand executes,
      Portals portals,
      ByteQueue input) {
    this.context = context;
    this.starter = starter;
    this.statements = statements;
    this.commands = commands;
    this.executes = executes;
    this.portals = portals;
    this.input = input;
    ahead = new RunAhead(input);
    reading = new ValueReading(context, starter, statements);
  }

  public Progress parse(byte[] array, int at, int length) throws IOException {
    int nameEnd = CString.end(array, at + 5, at + length);
    if (nameEnd > at + 5) {
      return parse(array, at, length, nameEnd);
    }
    statements.named().remove(array, nameEnd, nameEnd); // Also when the new one is in error.
    try {
      return parse(array, at, length, nameEnd);
    } catch (ClientError | AbelianException | NodeLostException failure) {
      context.replies().add(UnnamedChange.lost(statements.named()));
      throw failure;
    }
  }

  private Progress parse(byte[] array, int at, int length, int nameEnd) throws IOException {
    SharedStatement statement =
        statements.intern(Arrays.copyOfRange(array, nameEnd + 1, at + length));
    statements.requireSound(statement);
    Signature signature = Signature.NONE;
    if (statement.command() == null && !statement.isBlank()) {
      // What has a name stays, whatever is set before it is bound.
      BoundTemplate template = nameEnd > at + 5 ? null : statements.template(statement);
      AnalysedStatement analysed =
          template == null ? statements.analysed(statement) : template.analysed();
      if (analysed == null) {
        return Progress.QUIET;
      }
      StatementFacts facts = analysed.routed().facts();
      if (template == null) {
        SessionStatements.requireTypes(facts.parameters());
        signature = statements.signature(statement, facts);
      } else {
        signature = new Signature(null, facts.result(), null, null);
      }
    }
    context.retry().parsed();
    statements.named().define(array, at + 5, nameEnd, statement, null, signature);
    if (nameEnd == at + 5) {
      statement.parsed();
      context.replies().add(UnnamedChange.parsed(statements.named()));
    } else {
      String name = CString.name(array, at + 5, nameEnd);
      context.retry().defined(name);
      context.replies().add(new NamedParse(statements.named(), name));
    }
    return Progress.NEXT;
  }

  public Progress bind(byte[] array, int at, int length) throws IOException {
    try {
      return bindSound(array, at, length);
    } catch (ClientError | AbelianException failure) {
      if (!describeWaiting()) {
        return Progress.QUIET;
      }
      throw failure;
    }
  }

  private Progress bindSound(byte[] array, int at, int length) throws IOException {
    bind.look(array, at);
    SharedStatement statement =
        statements.withLiterals(array, bind.statementAt(), bind.statementEnd());
    if (statement == null) {
      throw noStatement(array, bind.statementAt(), bind.statementEnd());
    }
    statements.requireSound(statement);
    requireFreeName();
    if (statement.command() != null || statement.isBlank()) {
      return bindHere(statement, () -> commands.run(statement));
    }
    BoundTemplate template = bind.parameterCount() == 0 ? statements.template(statement) : null;
    if (template != null) {
      requireSame(array, bind.statementAt(), bind.statementEnd(), template.analysed());
      ahead.look(bind, array, at + length);
      bind.look(template.bind(bind), 0);
      return bind(template.statement(), template.analysed(), true, ahead.runs());
    }
    AnalysedStatement analysed = statements.analysed(statement);
    if (analysed == null) {
      return Progress.QUIET;
    }
    if (statements.keepTypes(array, bind.statementAt(), bind.statementEnd(), analysed)) {
      return bindSound(array, at, length);
    }
    requireCount(array, analysed.routed().facts());
    requireSame(array, bind.statementAt(), bind.statementEnd(), analysed);
    RoutedStatement routed = analysed.routed();
    if (SessionCommands.runs(routed.utility())) {
      return bindHere(statement, () -> commands.run(statement, routed));
    }
    boolean named = bind.statementEnd() > bind.statementAt() || statement.isFrequent();
    ahead.look(bind, array, at + length);
    if (routed.facts().command().prepared().executes() == null) {
      return bind(statement, analysed, named, ahead.runs());
    }
    ExecuteCommand.Bound executed = executes.bind(statement, routed, bind);
    if (executed == null) {
      return Progress.QUIET;
    }
    bind.look(executed.bind(), 0);
    return bind(executed.statement(), executed.analysed(), true, ahead.runs());
  }

  /**
   * Refuses a Bind with another number of values than the statement has parameters, where the
   * analysis tells these. The node would refuse it as well, but name the statement as only the
   * router knows it.
   */
  private void requireCount(byte[] array, StatementFacts facts) {
    int required = facts.parameters().size();
    boolean known =
        facts.kind() != StatementKind.CLUSTER_CALL && facts.kind() != StatementKind.EMPTY;
    if (known && bind.parameterCount() != required) {
      throw ClientError.of(
          "08P01",
          "bind message supplies %d parameters, but prepared statement \"%s\" requires %d"
              .formatted(
                  bind.parameterCount(),
                  CString.read(array, bind.statementAt(), bind.statementEnd()),
                  required));
    }
  }

  private void requireSame(byte[] array, int from, int to, AnalysedStatement analysed) {
    statements.named().requireSame(array, from, to, analysed.routed().facts().result());
  }

  /** Binds what nodes are to run, with keys of the router's where it needs them. */
  private Progress bind(
      SharedStatement statement, AnalysedStatement analysed, boolean named, boolean alone)
      throws IOException {
    RoutedStatement routed = analysed.routed();
    if (!analysed.hasGeneratedKeys()) {
      return bind(statement, routed, named, alone);
    }
    AnalysedStatement whole = statements.analysed(statement, alone);
    if (whole == null) {
      return Progress.QUIET;
    }
    GeneratedKeys generated = statements.keys().instead(whole, values, alone);
    if (generated == null) {
      return bind(statement, routed, named, alone);
    }
    if (generated.takesBefore()) {
      return bindDeferred(statement, routed, generated);
    }
    GeneratedKeys last = statements.keys().last(generated, bind, values, alone);
    if (last == null) {
      return Progress.QUIET;
    }
    return bind(last.statement(), last.routed(), named, alone);
  }

  /** Keeps the values of what is bound when it is executed. */
  private Progress bindDeferred(
      SharedStatement statement, RoutedStatement routed, GeneratedKeys generated)
      throws IOException {
    if (!describeBefore(routed)) {
      return Progress.QUIET;
    }
    forgetReplaced();
    if (routed.lasts()) {
      context.retry().lasts();
    }
    BoundStatement bound = new BoundStatement(statement, routed, bind, true);
    DeferredStatement.Start start =
        later -> {
          GeneratedKeys last =
              statements.keys().last(generated, later, new BoundParameters(later), false);
          return last == null ? null : starter.begin(last, later);
        };
    Execution deferred = DeferredStatement.bind(context, starter.trace(), bound, start);
    put(statement, deferred, null, !routed.facts().returnsRows());
    return Progress.NEXT;
  }

  /**
   * Describes a statement whose description has waited for this Bind, which names no one node.
   *
   * @return false when earlier answers must come first
   */
  private boolean describeBefore(RoutedStatement routed) throws IOException {
    if (describeWithBind == null) {
      return true;
    } else if (!context.replies().isEmpty()) {
      return false;
    }
    describeNow(routed);
    return true;
  }

  /**
   * Answers the Describe that has waited for a Bind, which has failed.
   *
   * @return false when the statement is to be analysed first
   */
  private boolean describeWaiting() throws IOException {
    if (describeWithBind == null) {
      return true;
    }
    AnalysedStatement analysed = statements.analysed(describeWithBind);
    if (analysed == null) {
      return false;
    }
    describeNow(analysed.routed());
    return true;
  }

  private void describeNow(RoutedStatement routed) throws IOException {
    SharedStatement described = describeWithBind;
    describeWithBind = null;
    describeSomewhere(described, routed);
  }

  /** The group of messages is over, or will run again: a Describe that still waits was skipped. */
  public void groupIsOver() {
    describeWithBind = null;
  }

  /** Binds what nodes are to run. */
  private Progress bind(
      SharedStatement statement, RoutedStatement routed, boolean named, boolean alone)
      throws IOException {
    if (!starter.cursors().finds(routed)) {
      return Progress.QUIET;
    }
    Route route = reading.route(statement, routed, values);
    if (route == null) {
      return Progress.QUIET;
    }
    Backend backend = starter.passesThrough(routed, route);
    if (!starter.mayFollow(routed, backend)) {
      return Progress.QUIET;
    }
    forgetReplaced();
    BoundStatement bound = new BoundStatement(statement, routed, bind, true);
    TracedStatement traced = starter.trace().bound(statement, routed, bind, route, backend);
    StatementStarter.Started started = shared(bound, route, backend, named && alone);
    if (started.goesAlone() && backend != null) {
      started = onNode(bound, backend, named, alone, route);
    } else if (started.goesAlone()) {
      if (!describeBefore(routed)) {
        return Progress.QUIET;
      }
      started = starter.onSeveral(bound, route);
    }
    if (started.progress() == Progress.NEXT) {
      describeWithBind = null;
      boolean once = backend == null && !routed.facts().returnsRows();
      put(statement, started.execution(), traced, once);
    }
    return started.progress();
  }

  /** Runs a read with those of other sessions, if it is the whole of a transaction. */
  private StatementStarter.Started shared(
      BoundStatement bound, Route route, Backend backend, boolean may) {
    return may && ahead.runsToEnd() && describeWithBind == null
        ? starter.shared(bound, route, backend, ahead.describes())
        : StatementStarter.Started.ALONE;
  }

  private StatementStarter.Started onNode(
      BoundStatement bound, Backend backend, boolean named, boolean alone, Route route) {
    if (alone && describeWithBind == null && starter.batches(bound.routed(), backend)) {
      StatementStarter.Started batched = starter.batched(bound, backend, values);
      if (!batched.goesAlone()) {
        return batched;
      }
    }
    boolean passing = alone && ahead.runsToEnd() && starter.passesBy(bound.routed(), route);
    return StatementStarter.Started.of(
        SingleNodeExecution.bind(context, bound, backend, named, describeWithBind, passing));
  }

  private Progress bindHere(SharedStatement statement, CommandExecution.Command command) {
    describeWithBind = null;
    forgetReplaced();
    context.replies().add(FixedMessage.BIND_COMPLETE);
    put(statement, new CommandExecution(context.replies(), command), null, !statement.isBlank());
    return Progress.NEXT;
  }

  private void forgetReplaced() {
    if (bind.portalLength() == 0) {
      portals.forgetUnnamed();
    }
  }

  private void put(
      SharedStatement statement, Execution execution, TracedStatement traced, boolean once) {
    Portals.Portal portal = new Portals.Portal(statement, execution, traced, once);
    if (bind.portalLength() == 0) {
      portals.put(portal);
    } else {
      int history = context.transactions().state().history().size();
      portals.put(portalName(), portal, history, bind.tailLength());
    }
  }

  private String portalName() {
    int from = bind.portalAt();
    return CString.name(bind.array(), from, from + bind.portalLength());
  }

  private void requireFreeName() {
    if (bind.portalLength() > 0) {
      portals.requireFree(portalName());
      starter.cursors().requireFree(portalName());
    }
  }

  /** True when the rest of the group only runs what that message binds, which is being planned. */
  public boolean runsNext(BindMessage bound) {
    return bound == bind && ahead.runs();
  }

  /** True when it is to give all of its rows at once. */
  public boolean runsToEnd(BindMessage bound) {
    return bound == bind && ahead.runsToEnd();
  }

  /** True when it is to be described before it runs. */
  public boolean describesNext(BindMessage bound) {
    return bound == bind && ahead.describes();
  }

  public Progress describe(byte[] array, int at, int length) throws IOException {
    int nameEnd = CString.end(array, at + 6, at + length);
    if (array[at + 5] == 'S') {
      SharedStatement statement = statements.withLiterals(array, at + 6, nameEnd);
      if (statement == null) {
        throw noStatement(array, at + 6, nameEnd);
      }
      return describeStatement(statement, array, at, length);
    }
    Portals.Portal portal = portals.get(array, at + 6, nameEnd);
    if (portal == null) {
      cursor(array, at + 6, nameEnd).describe(Execution.Description.FULL);
      return Progress.NEXT;
    }
    statements.requireSound(portal.statement());
    portal.execution().describe(Execution.Description.FULL);
    return Progress.NEXT;
  }

  private Progress describeStatement(SharedStatement statement, byte[] array, int at, int length)
      throws IOException {
    statements.requireSound(statement);
    if (statement.command() != null || statement.isBlank()) {
      return describeNothing();
    }
    AnalysedStatement analysed = statements.analysed(statement);
    if (analysed == null) {
      return Progress.QUIET;
    }
    RoutedStatement routed = analysed.routed();
    StatementFacts facts = routed.facts();
    int nameEnd = CString.end(array, at + 6, at + length);
    if (statements.keepTypes(array, at + 6, nameEnd, analysed)) {
      SharedStatement typed = statements.named().get(array, at + 6, nameEnd);
      return describeStatement(typed, array, at, length);
    }
    if (!statements.named().returnsAsBefore(array, at + 6, nameEnd, facts.result())) {
      context.replies().add(PlanText.parameters(facts.parameters()));
      requireSame(array, at + 6, nameEnd, analysed);
    }
    if (SessionCommands.runs(routed.utility()) || routed.facts().command().rewritten() != null) {
      return describeNothing();
    } else if (routed.facts().command().prepared().executes() != null) {
      return executes.describe(statement, routed);
    } else if (routed.facts().command().fetch() != null
        && portals.hasCursor(routed.facts().command().name())) {
      return describeFetch(routed.facts());
    } else if (isBoundNext(statement, array, at + length)) {
      describeWithBind = statement;
    } else {
      describeSomewhere(statement, routed);
    }
    return Progress.NEXT;
  }

  /** As the cursor is described, which is over several nodes. */
  private Progress describeFetch(StatementFacts fetch) throws IOException {
    if (fetch.command().fetch().moves()) {
      return describeNothing();
    }
    context.replies().add(FixedMessage.NO_PARAMETERS);
    portals.get(fetch.command().name()).execution().describe(Execution.Description.FULL);
    return Progress.NEXT;
  }

  private Progress describeNothing() {
    context.replies().add(FixedMessage.NO_PARAMETERS);
    context.replies().add(FixedMessage.NO_DATA);
    return Progress.NEXT;
  }

  private boolean isBoundNext(SharedStatement statement, byte[] array, int next) {
    int length = input.frameAt(next);
    if (length == 0 || array[next] != FrontendType.BIND) {
      return false;
    }
    int portalEnd = CString.end(array, next + 5, next + length);
    int nameEnd = CString.end(array, portalEnd + 1, next + length);
    return statements.named().get(array, portalEnd + 1, nameEnd) == statement;
  }

  /** Any node can describe it; none need join the transaction for that. */
  private void describeSomewhere(SharedStatement statement, RoutedStatement routed)
      throws IOException {
    if (statement.explain() != null && statement.explain().call()) {
      context.replies().add(PlanText.parameters(routed.facts().parameters()));
      context.replies().add(PlanText.description(statement.explain().format()));
      return;
    }
    Backend backend = context.backends().home(routed.router().catalog());
    boolean apart = context.transactions().asksApart(backend);
    context.backends().connect(backend);
    context.backends().touch(backend);
    byte[] name =
        context
            .backends()
            .prepareToDescribe(
                backend,
                statement.statement(),
                routed.utility() == UtilityKind.FETCH,
                context.replies());
    backend.connection.writer().begin(FrontendType.DESCRIBE).int1('S').string(name).end();
    context.replies().add(NodeReply.pass(backend.connection));
    if (apart) {
      context.transactions().endApart(backend);
    }
  }

  public Progress execute(byte[] array, int at, int length) throws IOException {
    int nameEnd = CString.end(array, at + 5, at + length);
    Portals.Portal portal = portals.get(array, at + 5, nameEnd);
    int limit = BigEndian.int4(array, nameEnd + 1);
    if (portal == null) {
      return cursor(array, at + 5, nameEnd).execute(limit);
    }
    statements.requireSound(portal.statement());
    if (portal.isSpent()) {
      throw ClientError.of(
          "55000", "portal \"" + CString.read(array, at + 5, nameEnd) + "\" cannot be run");
    }
    if (portal.execution().runsQuiet(limit) && !context.replies().isEmpty()) {
      return Progress.QUIET;
    }
    Progress progress = portal.execution().execute(limit);
    if (progress != Progress.QUIET) {
      portal.execution().ran();
    }
    starter.trace().planned(portal.traced(), progress);
    return progress;
  }

  public Progress close(byte[] array, int at, int length) {
    int nameEnd = CString.end(array, at + 6, at + length);
    if (array[at + 5] == 'S') {
      closeStatement(array, at + 6, nameEnd);
      return Progress.NEXT;
    }
    Portals.Portal portal = portals.remove(array, at + 6, nameEnd);
    if (portal != null) {
      portal.execution().close();
    } else {
      closeCursor(CString.name(array, at + 6, nameEnd));
    }
    context.replies().add(FixedMessage.CLOSE_COMPLETE);
    return Progress.NEXT;
  }

  /** It stays prepared on the nodes, where other sessions may use it. */
  private void closeStatement(byte[] array, int from, int to) {
    if (from == to) {
      statements.named().remove(array, from, to);
      context.replies().add(UnnamedChange.closed(statements.named()));
      return;
    }
    context.retry().lasts();
    context.replies().add(new NamedClose(statements.named(), CString.name(array, from, to)));
  }

  /** A portal that a node has by DECLARE. */
  private Execution cursor(byte[] array, int from, int to) {
    Execution cursor = from == to ? null : starter.cursors().portal(CString.name(array, from, to));
    if (cursor == null) {
      throw noPortal(array, from, to);
    }
    return cursor;
  }

  private void closeCursor(String name) {
    Execution cursor = starter.cursors().portal(name);
    if (cursor != null) {
      cursor.close();
      starter.cursors().closed(name);
    }
  }

  private static ClientError noStatement(byte[] array, int from, int to) {
    return ClientError.of(
        "26000",
        from == to
            ? "unnamed prepared statement does not exist"
            : "prepared statement \"" + CString.read(array, from, to) + "\" does not exist");
  }

  private static ClientError noPortal(byte[] array, int from, int to) {
    return ClientError.of(
        "34000", "portal \"" + CString.read(array, from, to) + "\" does not exist");
  }
}
