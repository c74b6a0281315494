package org.abelian.router.engine;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.abelian.router.analysis.CombinedFacts;
import org.abelian.router.backend.Backend;
import org.abelian.router.backend.BackendSession;
import org.abelian.router.batching.Amount;
import org.abelian.router.batching.Amounts;
import org.abelian.router.batching.Batch;
import org.abelian.router.batching.BatchKey;
import org.abelian.router.batching.Result;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.QueryResult;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.FrameWriter;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.routing.BoundValues;
import org.abelian.router.statement.RoutedStatement;
import org.abelian.router.statement.StatementCache;

/** The one statement for several sessions, run over the connection of one of them. */
public final class BatchedUpdate {
  private static final String TAG = "UPDATE ";

  private final Backend backend;
  private final BackendSession backends;
  private final StatementCache statements;
  private final RoutedStatement routed;
  private final int timeoutMillis;

  public BatchedUpdate(
      Backend backend,
      BackendSession backends,
      StatementCache statements,
      RoutedStatement routed,
      int timeoutMillis) {
    this.backend = backend;
    this.backends = backends;
    this.statements = statements;
    this.routed = routed;
    this.timeoutMillis = timeoutMillis;
  }

  /**
   * Runs it over the backend, which is connected, and waits for its end. Nothing but faults of the
   * router is thrown.
   */
  public Result run(BoundValues values, Batch<Amounts> batch) {
    NodeConnection connection = backend.connection;
    if (!batch.begin(backends::cancel)) {
      return new Result.Undone();
    }
    try {
      return send(connection, values, batch);
    } catch (NodeLostException lost) {
      return new Result.Unknown(lost.getMessage());
    } finally {
      batch.end();
    }
  }

  private Result send(NodeConnection connection, BoundValues values, Batch<Amounts> batch)
      throws NodeLostException {
    NodeStatement statement = statement();
    connection.parse(statement);
    connection.closeAllSurplus();
    writeBind(connection, connection.prepared().name(statement), values, batch);
    connection.writer().begin(FrontendType.EXECUTE).int1(0).int4(0).end();
    connection.writer().empty(FrontendType.SYNC);
    connection.timeout(timeoutMillis);
    connection.flush();
    QueryResult answer = NodeCall.await(connection, true);
    if (!answer.succeeded()) {
      return new Result.Undone();
    }
    return new Result.Done(Long.parseLong(answer.tag().substring(TAG.length())));
  }

  private NodeStatement statement() {
    if (routed.combined() == null) {
      CombinedFacts facts = routed.facts().change().combined();
      byte[] body = NodeStatement.of(facts.text(), facts.parameters()).body();
      // Texts that differ in an operand have this one in common.
      routed.combined(statements.intern(body).statement());
    }
    return routed.combined();
  }

  private void writeBind(
      NodeConnection connection, byte[] name, BoundValues values, Batch<Amounts> batch) {
    CombinedFacts facts = routed.facts().change().combined();
    List<Amount> sums = batch.sum().columns();
    int own = values.count();
    FrameWriter writer = connection.writer();
    writer.begin(FrontendType.BIND).int1(0).string(name).int2(own + sums.size());
    for (int i = 1; i <= own + sums.size(); i++) {
      writer.int2(i <= own && values.isBinary(i) ? 1 : 0);
    }
    writer.int2(own + sums.size());
    for (int i = 1; i <= own; i++) {
      int length = BatchKey.isOperand(facts, i) ? -1 : values.length(i);
      writer.int4(length);
      if (length > 0) {
        writer.bytes(values.buffer(i), values.offset(i), length);
      }
    }
    for (Amount sum : sums) {
      byte[] text = sum.text().getBytes(StandardCharsets.US_ASCII);
      writer.int4(text.length).bytes(text);
    }
    writer.int2(0).end();
  }
}
