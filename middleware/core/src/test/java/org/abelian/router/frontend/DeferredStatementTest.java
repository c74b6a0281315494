package org.abelian.router.frontend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import org.abelian.router.engine.Execution;
import org.abelian.router.engine.ScriptedCluster;
import org.abelian.router.execution.FixedMessage;
import org.abelian.router.session.Progress;
import org.abelian.router.session.TransactionState;
import org.junit.jupiter.api.Test;

/** Nothing is begun at Bind, and only once after it. */
class DeferredStatementTest extends ScriptedCluster {
  private static final String SQL = "WITH d AS (DELETE FROM t RETURNING a) INSERT INTO t SELECT a";

  private int begun;
  private final Fake fake = new Fake();

  /** Gives its tag when it is called the second time. */
  private final class Fake extends Execution {
    private int runs;
    private int freed;

    @Override
    public void describe(Description wanted) {
      throw new AssertionError("a node describes the statement");
    }

    @Override
    public Progress execute(int limit) {
      if (++runs == 1) {
        return Progress.QUIET;
      }
      replies.add(FixedMessage.tag("INSERT 0 " + limit));
      return Progress.NEXT;
    }

    @Override
    public void free() {
      freed++;
    }
  }

  private DeferredStatement bind(String facts, DeferredStatement.Start start) {
    StatementTrace trace = new StatementTrace(context, null);
    return DeferredStatement.bind(context, trace, bound(SQL, facts), start);
  }

  private DeferredStatement bind(boolean returns) {
    return bind(
        "{\"kind\": \"insert\", \"returns_rows\": " + returns + "}",
        values -> {
          begun++;
          return new DeferredStatement.Begun(fake, null);
        });
  }

  @Test
  void itBeginsWithItsExecuteAndGoesOnWhereItWas() throws IOException {
    DeferredStatement deferred = bind(false);
    answer();
    assertEquals(0, begun);
    assertEquals(TransactionState.Kind.IMPLICIT, transaction.kind());
    assertTrue(deferred.runsQuiet(0));
    assertEquals(Progress.QUIET, deferred.execute(7));
    assertEquals(Progress.NEXT, deferred.execute(7));
    answer();
    assertEquals(1, begun);
    assertTrue(fake.hasRun());
    assertEquals(List.of("INSERT 0 7"), told());
    deferred.free();
    assertEquals(1, fake.freed);
  }

  @Test
  void itsColumnsAreToldByANodeThatDoesNotRunIt() throws IOException {
    bind(true).describe(Execution.Description.FULL);
    bind(false).describe(Execution.Description.FULL);
    answer();
    assertEquals(0, begun);
    assertFalse(log.stream().anyMatch(line -> line.contains("DELETE")), log.toString());
  }

  @Test
  void whenItsRowsCannotBeTakenNothingRuns() throws IOException {
    DeferredStatement deferred =
        bind(
            "{\"kind\": \"insert\"}",
            values -> {
              replies.fail();
              return null;
            });
    answer();
    assertEquals(Progress.BARRIER, deferred.execute(0));
    assertEquals(0, fake.runs);
    assertEquals(List.of(), told());
  }
}
