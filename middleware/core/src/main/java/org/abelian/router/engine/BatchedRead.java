package org.abelian.router.engine;

import java.util.ArrayList;
import java.util.List;
import org.abelian.router.backend.Backend;
import org.abelian.router.batching.Batch;
import org.abelian.router.batching.Result;
import org.abelian.router.error.AbelianException;
import org.abelian.router.execution.ObjectNumbers;
import org.abelian.router.execution.ReadAnswer;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.session.ReadKnowledge;
import org.abelian.router.session.ReadLedger;

/**
 * One group of messages with the reads of several sessions, over the connections of one of them. It
 * changes nothing on the nodes, so whatever is not answered can be run again.
 */
final class BatchedRead {
  private final EngineContext context;
  private final List<Backend> backends;
  private final List<Integer> nodes;
  private final List<ReadRequest> requests;

  /** What was known before they began; null for reads of one node. */
  private final ReadKnowledge known;

  /**
   * Nothing is sent yet.
   *
   * @param backends of all nodes that the reads concern, connected
   */
  BatchedRead(EngineContext context, List<Backend> backends, ReadBatch reads) {
    this.context = context;
    this.backends = backends;
    nodes = Backend.nodes(backends);
    requests = reads.requests();
    known = backends.size() == 1 ? null : context.gate().reads().of(nodes);
  }

  /** Runs them. A connection that is lost by that is given up. */
  Result run(Batch<ReadBatch> batch) {
    boolean mayAsk = backends.size() == 1 || known != null;
    if (!mayAsk || !batch.begin(context.backends()::cancel)) {
      return new Result.Undone();
    }
    boolean done = false;
    boolean isOver = false;
    try {
      long before = System.nanoTime();
      done = send();
      long taken = System.nanoTime() - before;
      requests.forEach(request -> request.pace().learnOfBatch(taken));
      isOver = true;
    } finally {
      if (!isOver) { // A fault of the router: nobody knows what the nodes still have to say.
        backends.forEach(backend -> backend.connection.close());
      }
      batch.end();
    }
    for (Backend backend : backends) {
      if (backend.connection.isLost()) {
        context.backends().drop(backend); // The leader's own read takes another.
      }
    }
    return done ? new Result.Done(0) : new Result.Undone();
  }

  /** False when all are to be run alone. */
  private boolean send() {
    boolean there = true;
    for (int place = 0; place < backends.size(); place++) {
      there &= sendTo(place);
    }
    List<List<ReadAnswer>> answers = new ArrayList<>(backends.size());
    for (Backend backend : backends) {
      List<ReadAnswer> some = await(backend.connection);
      there &= some != null && isWhole(some);
      answers.add(some);
    }
    for (int i = 0; i < requests.size() && there; i++) {
      List<ReadAnswer> parts = new ArrayList<>(backends.size());
      for (List<ReadAnswer> some : answers) {
        parts.add(some.get(i));
      }
      look(requests.get(i), parts);
    }
    return there;
  }

  /**
   * Whether the transaction has committed. If not, nothing of it counts: what others have committed
   * may be seen before it is on disk, and it is on disk when who has seen it has committed.
   */
  private boolean isWhole(List<ReadAnswer> answers) {
    boolean whole = true;
    for (int i = 0; i < answers.size(); i++) {
      if (answers.get(i).hasFailed()) {
        whole = false;
        if (i < requests.size()) {
          requests.get(i).pace().leaveAlone();
        }
      }
    }
    return whole;
  }

  private boolean sendTo(int place) {
    NodeConnection connection = backends.get(place).connection;
    try {
      write(place, connection);
      connection.flush();
      return true;
    } catch (NodeLostException | AbelianException lost) { // Or there is no memory.
      connection.close();
      return false;
    }
  }

  private void write(int place, NodeConnection connection) {
    ObjectNumbers numbers = context.replies().numbers();
    connection.readEvidence(null);
    connection.closeAllSurplus(); // What comes with these is closed with the next ones.
    for (ReadRequest request : requests) {
      NodeStatement statement = numbers.there(connection.address(), request.statement());
      connection.parse(statement);
      byte[] name = connection.prepared().name(statement);
      request.write(connection.writer(), portal(place), name, place == 0);
    }
    connection.writer().empty(FrontendType.SYNC);
    connection.timeout(context.replies().timeout());
  }

  /** By its name the portal has the node tell what its snapshot shows; null where one is read. */
  private byte[] portal(int place) {
    return known == null
        ? null
        : SnapshotQuestion.portal(context, known.run(place), String.valueOf(known.over(place)));
  }

  /** Null when the connection is lost. */
  private List<ReadAnswer> await(NodeConnection connection) {
    if (connection.isLost()) {
      return null;
    }
    try {
      return ReadAnswer.await(connection, requests.size(), context.replies());
    } catch (NodeLostException | AbelianException lost) {
      connection.close(); // Nobody reads what it still has to say.
      return null;
    }
  }

  private void look(ReadRequest request, List<ReadAnswer> parts) {
    boolean usable = true;
    for (ReadAnswer part : parts) {
      usable &= part.isUsable();
      if (part.isForAlone()) {
        request.pace().leaveAlone();
      }
    }
    if (usable && (known == null || fitTogether(parts))) {
      request.answered(parts);
    }
  }

  /** Whether the snapshots of one read show each transaction wholly or not at all. */
  private boolean fitTogether(List<ReadAnswer> parts) {
    List<String> told = new ArrayList<>(parts.size());
    parts.forEach(part -> told.add(part.evidence()));
    if (known.isStill(told)) {
      return true;
    }
    ReadLedger ledger = context.gate().reads();
    ReadKnowledge.Judgement judgement = known.judge(SnapshotQuestion.parsed(told), false);
    ledger.learn(nodes, known, judgement.next());
    ledger.met(nodes, judgement.verdict().isHalfWay());
    return judgement.verdict() == ReadKnowledge.Verdict.WHOLE;
  }
}
