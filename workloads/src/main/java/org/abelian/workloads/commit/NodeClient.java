package org.abelian.workloads.commit;

import java.io.IOException;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.transaction.Gid;
import org.abelian.workloads.pair.Pair;

/**
 * Two-phase commit of additions to plain columns by a client that knows its nodes: what can go in
 * one round trip does. There is no router between, which only helps it.
 */
final class NodeClient implements Client {
  private static final NodeStatement BEGIN = NodeStatement.of("BEGIN");
  private static final NodeStatement COMMIT = NodeStatement.of("COMMIT");
  private static final NodeStatement ROLLBACK = NodeStatement.of("ROLLBACK");
  private static final String DECIDED_ALREADY = "23505";
  private static final NodeStatement DECIDE = NodeStatement.of("SELECT abelian.decide($1)");

  private final Committer committer;
  private final NodeStatement update;
  private final List<NodeSession> sessions;
  private final long number;
  private final Map<NodeSession, Gid> finishing = new HashMap<>();

  NodeClient(Committer committer, Body body, List<NodeSession> sessions, long number) {
    this.committer = committer;
    this.update = NodeStatement.of(body.update("$1"));
    this.sessions = List.copyOf(sessions);
    this.number = number;
  }

  @Override
  public void run(Pair pair) throws IOException, SQLException {
    NodeSession first = sessions.get(pair.firstNode());
    NodeSession second = sessions.get(pair.secondNode());
    String firstKey = Integer.toString(pair.firstKey());
    String secondKey = Integer.toString(pair.secondKey());
    if (!pair.isDistributed()) {
      await(first);
      first.add(BEGIN);
      first.add(update, firstKey);
      first.add(update, secondKey);
      first.add(COMMIT);
      first.go();
      first.succeed();
      return;
    }
    await(first);
    await(second);
    first.add(BEGIN);
    first.add(update, firstKey);
    second.add(BEGIN);
    second.add(update, secondKey);
    coordinate(first, second, pair.hot());
  }

  private static void both(NodeSession first, NodeSession second) throws IOException, SQLException {
    first.go();
    second.go();
    first.succeed();
    second.succeed();
  }

  /**
   * Work and PREPARE in one round, the decision in the next; the client is answered then, and the
   * other node's COMMIT PREPARED waits for nobody but the next transaction there.
   *
   * @param ordered one node's work after the other's: transactions that wait for the same rows on
   *     two nodes at once come to wait for each other
   */
  private void coordinate(NodeSession holder, NodeSession other, boolean ordered)
      throws IOException, SQLException {
    Gid gid = committer.gids.next(holder.nodeId(), number);
    other.addOnce("PREPARE TRANSACTION '" + gid + "'");
    if (ordered) {
      holder.go();
      holder.succeed();
      other.go();
      other.succeed();
    } else {
      both(holder, other);
    }
    decide(holder, gid);
    other.addOnce("COMMIT PREPARED '" + gid + "'");
    other.go();
    finishing.put(other, gid);
  }

  /**
   * Two transactions that wait for each other on two nodes would do so for ever, but recovery rolls
   * back what was prepared seconds ago without a decision.
   */
  private static void decide(NodeSession holder, Gid gid) throws IOException, SQLException {
    holder.add(DECIDE, gid.toString());
    holder.add(COMMIT);
    holder.go();
    try {
      holder.succeed();
    } catch (SQLException refused) {
      if (!DECIDED_ALREADY.equals(refused.getSQLState())) {
        throw refused;
      }
      holder.add(ROLLBACK);
      holder.go();
      holder.succeed();
      throw new SQLException("recovery has rolled it back", "40001", refused);
    }
  }

  private void await(NodeSession session) throws IOException, SQLException {
    Gid gid = finishing.remove(session);
    if (gid != null) {
      session.succeed();
      committer.ledger.end(gid, true);
    }
  }

  @Override
  public void close() throws IOException, SQLException {
    for (NodeSession session : sessions) {
      await(session);
    }
    sessions.forEach(NodeSession::close);
  }
}
