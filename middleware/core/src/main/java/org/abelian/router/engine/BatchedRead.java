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

  /** Runs them. Nothing but faults of the router is thrown, and the connections are closed then. */
  Result run(Batch<ReadBatch> batch) {
    boolean mayAsk = backends.size() == 1 || known != null;
    if (!mayAsk || !batch.begin(context.backends()::cancel)) {
      return new Result.Undone();
    }
    boolean isOver = false;
    try {
      boolean done = send();
      isOver = true;
      return done ? new Result.Done(0) : new Result.Undone();
    } finally {
      if (!isOver) { // Nobody knows what they still have to say.
        backends.forEach(backend -> backend.connection.close());
      }
      batch.end();
    }
  }

  private boolean send() {
    for (int place = 0; place < backends.size(); place++) {
      write(place, backends.get(place).connection);
    }
    boolean there = true;
    for (Backend backend : backends) {
      there &= flush(backend.connection);
    }
    List<List<ReadAnswer>> answers = new ArrayList<>(backends.size());
    for (Backend backend : backends) {
      List<ReadAnswer> some = await(backend.connection);
      there &= some != null;
      answers.add(some);
    }
    if (!there) {
      return false;
    }
    for (int i = 0; i < requests.size(); i++) {
      List<ReadAnswer> parts = new ArrayList<>(backends.size());
      for (List<ReadAnswer> some : answers) {
        parts.add(some.get(i));
      }
      look(requests.get(i), parts);
    }
    return true;
  }

  private void write(int place, NodeConnection connection) {
    ObjectNumbers numbers = context.replies().numbers();
    connection.readEvidence(null);
    for (ReadRequest request : requests) {
      NodeStatement statement = numbers.there(connection.address(), request.statement());
      connection.parse(statement);
      byte[] name = connection.prepared().name(statement);
      request.write(connection.writer(), portal(place), name, place == 0);
    }
    connection.closeAllSurplus();
    connection.writer().empty(FrontendType.SYNC);
    connection.timeout(context.replies().timeout());
  }

  /** By its name the portal has the node tell what its snapshot shows; null where one is read. */
  private byte[] portal(int place) {
    return known == null
        ? null
        : SnapshotQuestion.portal(context, known.run(place), String.valueOf(known.over(place)));
  }

  private static boolean flush(NodeConnection connection) {
    try {
      connection.flush();
      return true;
    } catch (NodeLostException lost) {
      return false;
    }
  }

  /** Null when the connection is lost. */
  private List<ReadAnswer> await(NodeConnection connection) {
    try {
      return connection.isLost()
          ? null
          : ReadAnswer.await(connection, requests.size(), context.replies().numbers());
    } catch (NodeLostException | AbelianException lost) { // Or there is no memory.
      return null;
    }
  }

  private void look(ReadRequest request, List<ReadAnswer> parts) {
    boolean usable = true;
    boolean reached = true;
    for (ReadAnswer part : parts) {
      request.pace().learn(part.waitedNanos());
      usable &= part.isUsable();
      reached &= part.isReached();
    }
    if (!usable) {
      if (reached) {
        request.pace().leaveAlone();
      }
      return;
    }
    if (known == null || fitTogether(parts)) {
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
