package org.abelian.router.procedure;

import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import org.abelian.router.backend.Backend;
import org.abelian.router.backend.BackendParticipant;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.transaction.Answer;
import org.abelian.router.transaction.CommutingFragment;
import org.abelian.router.transaction.Intent;
import org.abelian.router.transaction.IntentId;

/**
 * One participant's part of calls that commit in one round: prepared statements and a Sync, which
 * the node runs as one transaction. Before each call, one tells the node who takes part; behind the
 * calls their intents are inserted. Those come last, since they take the commit gate, behind which
 * nothing should wait for locks.
 *
 * <p>Several calls come to their rows in one order on each node, so that such transactions do not
 * wait for each other in a circle, and wait for a stranger's lock but shortly.
 */
public final class CallFragment implements CommutingFragment {
  private static final int TEXT = 25;
  private static final int UUID = 2950;
  private static final int INT8 = 20;
  private static final int INT4_ARRAY = 1007;

  private static final NodeStatement TELL =
      NodeStatement.of(
          "SELECT pg_catalog.set_config('abelian.participants', $1, true)", new int[] {TEXT});

  private static final NodeStatement COMMIT =
      NodeStatement.of(
          "SELECT abelian.commit_intent($1, $2, $3, $4)", new int[] {UUID, INT8, INT4_ARRAY, TEXT});

  private static final NodeStatement COMMIT_SEALED =
      NodeStatement.of(
          "SELECT abelian.commit_intent($1, $2, $3, $4, $5)",
          new int[] {UUID, INT8, INT4_ARRAY, TEXT, TEXT});

  /** The client's own setting, which holds again at the gate, is kept aside. */
  private static final NodeStatement LIMIT_WAITS =
      NodeStatement.of(
          "SELECT pg_catalog.set_config('abelian_call.lock_timeout',"
              + " pg_catalog.current_setting('lock_timeout'), true),"
              + " pg_catalog.set_config('lock_timeout', $1, true)",
          new int[] {TEXT});

  private static final NodeStatement UNLIMIT_WAITS =
      NodeStatement.of(
          "SELECT pg_catalog.set_config('lock_timeout',"
              + " pg_catalog.current_setting('abelian_call.lock_timeout'), true)",
          new int[] {});

  /** Longer than most transactions, as who cannot wait is done once more; in PostgreSQL's words. */
  private static final String WAIT_MAX = "100ms";

  /** A call with the row that it is ordered by, which is looked for once. */
  private record Placed(CallObject row, SharedCall call) {
    private static final Comparator<Placed> BY_ROW =
        Comparator.comparing(Placed::row, Comparator.nullsFirst(Comparator.naturalOrder()));
  }

  private final int nodeId;
  private final NodeConnection connection;
  private final List<SharedCall> calls;
  private final boolean waits;
  private final BackendParticipant participant;

  /**
   * @param backend connected, and with no transaction open
   * @param calls what to run
   * @param waits whether they wait for locks as long as their sessions want to
   */
  public CallFragment(Backend backend, List<SharedCall> calls, boolean waits) {
    nodeId = backend.nodeId;
    connection = backend.connection;
    this.calls = calls;
    this.waits = waits;
    participant = new BackendParticipant(backend.nodeId, backend.connection);
  }

  @Override
  public int nodeId() {
    return nodeId;
  }

  @Override
  public void send(List<IntentId> ids, List<Intent> intents) {
    String nodes = nodes(intents.get(0).nodes());
    if (!waits) {
      NodeCall.sendPrepared(connection, LIMIT_WAITS, WAIT_MAX);
    }
    for (SharedCall call : inOrder()) {
      // It holds for one statement: in any other the node would store the rows of all participants.
      NodeCall.sendPrepared(connection, TELL, nodeId + ":" + nodes + "!");
      PreparedCall prepared = call.prepared();
      NodeCall.sendBound(
          connection, prepared.call().statement().statement(), prepared.bind(), false);
    }
    if (!waits) {
      NodeCall.sendPrepared(connection, UNLIMIT_WAITS);
    }
    for (int i = 0; i < ids.size(); i++) {
      sendIntent(ids.get(i), intents.get(i));
    }
    connection.closeAllSurplus();
    connection.writer().empty(FrontendType.SYNC);
    try {
      connection.flush();
    } catch (IOException e) {
      // await reports it.
    }
  }

  private List<SharedCall> inOrder() {
    return calls.size() == 1
        ? calls
        : calls.stream()
            .map(call -> new Placed(call.prepared().work().firstRow(nodeId), call))
            .sorted(Placed.BY_ROW)
            .map(Placed::call)
            .toList();
  }

  private void sendIntent(IntentId id, Intent intent) {
    String router = id.router().toString();
    String number = Long.toString(id.number());
    String nodes = intent.nodesText();
    String work = intent.work();
    String seal = connection.seal("commit_intent", number, nodes, work);
    if (seal == null) {
      NodeCall.sendPrepared(connection, COMMIT, router, number, nodes, work);
    } else {
      NodeCall.sendPrepared(connection, COMMIT_SEALED, router, number, nodes, work, seal);
    }
  }

  private static String nodes(List<Integer> nodes) {
    return nodes.stream().map(String::valueOf).collect(Collectors.joining(","));
  }

  /** Without an error before it, ReadyForQuery says that the node has committed. */
  @Override
  public Answer await() {
    Answer answer = participant.await();
    return answer instanceof Answer.Done ? new Answer.Done("COMMIT") : answer;
  }
}
