package org.abelian.router.engine;

import java.util.List;
import org.abelian.router.analysis.CombinedFacts;
import org.abelian.router.backend.Backend;
import org.abelian.router.batching.AmountReader;
import org.abelian.router.batching.Amounts;
import org.abelian.router.batching.BatchKey;
import org.abelian.router.batching.Batcher;
import org.abelian.router.batching.Result;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.FixedMessage;
import org.abelian.router.routing.BoundValues;
import org.abelian.router.session.BatchScope;
import org.abelian.router.session.BatchSlot;
import org.abelian.router.session.SessionErrors;
import org.abelian.router.statement.RoutedStatement;
import org.abelian.router.statement.StatementCache;

/**
 * A session's part in batching updates: whether its statement may be run together with others, and
 * running one statement for all when it is the session's turn.
 */
public final class UpdateBatching {
  /** What a statement's turn has brought. */
  public record Turn(Kind kind, long rows) {
    /** The kinds of turns. */
    public enum Kind {
      /** It is to go as its client wrote it. */
      ALONE,
      /** What stands before it is to be answered first. */
      QUIET,
      /** It is committed. */
      DONE
    }

    private static final Turn GOES_ALONE = new Turn(Kind.ALONE, 0);
    private static final Turn NEEDS_QUIET = new Turn(Kind.QUIET, 0);
  }

  private static final FixedMessage ONE_ROW = FixedMessage.tag("UPDATE 1");

  private final EngineContext context;
  private final Batcher<Amounts> batcher;
  private final BatchSlot slot;
  private final BatchScope scope;
  private final StatementCache statements;

  /**
   * @param batcher of all sessions of the router
   * @param statements where the texts for several sessions are kept
   */
  public UpdateBatching(
      EngineContext context,
      Batcher<Amounts> batcher,
      BatchSlot slot,
      BatchScope scope,
      StatementCache statements) {
    this.context = context;
    this.batcher = batcher;
    this.slot = slot;
    this.scope = scope;
    this.statements = statements;
  }

  /** The tag of an update. */
  public static FixedMessage tag(long rows) {
    return rows == 1 ? ONE_ROW : FixedMessage.tag("UPDATE " + rows);
  }

  /** True when the statement, run as the whole of a transaction, may be run with others. */
  public boolean applies(RoutedStatement routed, Backend backend) {
    return routed.facts().change().combined() != null
        && !context.transactions().state().isOpen()
        && scope.of(List.of(backend)) != null;
  }

  /**
   * Runs the statement with others if it meets any.
   *
   * @throws RuntimeException the client's error
   */
  public Turn run(RoutedStatement routed, Backend backend, BoundValues values) {
    slot.endGroup();
    CombinedFacts facts = routed.facts().change().combined();
    if (values.count() + facts.operands().size() != facts.parameters().size()) {
      return Turn.GOES_ALONE; // The node says what is missing.
    }
    BatchKey key = BatchKey.of(scope.of(List.of(backend)), backend.pool, facts, values);
    if (slot.departs(batcher, key)) {
      return Turn.GOES_ALONE;
    }
    if (!context.replies().isEmpty()) {
      return Turn.NEEDS_QUIET;
    }
    Amounts amounts = AmountReader.read(facts, values);
    if (amounts == null) {
      slot.departsAlone(batcher, key);
      return Turn.GOES_ALONE;
    }
    return await(routed, backend, values, key, amounts);
  }

  private Turn await(
      RoutedStatement routed, Backend backend, BoundValues values, BatchKey key, Amounts amounts) {
    BatchedUpdate update =
        new BatchedUpdate(
            backend, context.backends(), statements, routed, context.replies().timeout());
    Result result =
        slot.await(
            batcher,
            key,
            amounts,
            () -> context.backends().connect(backend),
            batch -> update.run(values, batch));
    if (result instanceof Result.Done done) {
      context.retry().forbid();
      return new Turn(Turn.Kind.DONE, done.rows());
    }
    if (result instanceof Result.Unknown unknown) {
      throw new ClientError(SessionErrors.effectUnknown(unknown.reason()));
    }
    return Turn.GOES_ALONE;
  }
}
