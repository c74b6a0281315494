package org.abelian.router.engine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.abelian.router.analysis.StatementKind;
import org.abelian.router.backend.Backend;
import org.abelian.router.execution.CollectReply;
import org.abelian.router.execution.DiscardReply;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.execution.ReplyQueue;
import org.abelian.router.execution.RouterWork;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.FrameWriter;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.session.Cancellation;
import org.abelian.router.session.ReadEvidence;
import org.abelian.router.session.ReadKnowledge;
import org.abelian.router.session.SnapshotGate;
import org.abelian.router.statement.RoutedStatement;

/**
 * Has several nodes bind a read, which is when they take its snapshots, so that these show each
 * transaction over several nodes wholly or not at all. All are asked at once, and tell what their
 * snapshots show. If that does not fit together, they bind it anew; if that does not help, or they
 * cannot tell, behind the commit gate.
 */
final class JointSnapshot {
  private static final int TEXT = 25;
  private static final int BIGINT = 20;
  private static final NodeStatement EVIDENCE =
      NodeStatement.of("SELECT abelian.read_evidence($1,$2)", new int[] {TEXT, BIGINT});

  /** The client's portals, the unnamed one too, stay what they are. */
  private static final byte[] PORTAL = "abelian.evidence".getBytes(StandardCharsets.US_ASCII);

  /** Has a node tell only how many have passed its gate. */
  private static final long ALL = -1;

  private static final int ROUNDS = 12;
  private static final long FIRST_PAUSE_NANOS = 100_000;
  private static final long LONGEST_PAUSE_NANOS = 4_000_000;

  /** What is sent to the nodes. */
  interface Read {
    /** Binds it there, and has the node's answer taken. */
    void bind(Backend backend) throws IOException;

    /** Runs it there, without a look at the answer. */
    void run(Backend backend);

    /** Closes what was bound there, before it is bound anew. */
    void close(Backend backend);
  }

  private final EngineContext context;
  private final RoutedStatement routed;
  private final List<Backend> backends;
  private final List<Integer> nodes;
  private final Read read;
  private final boolean runsAtOnce;
  private final boolean syncsAtOnce;

  /**
   * Nothing is sent yet.
   *
   * @param runsAtOnce whether it may run before its snapshots are known to fit together
   * @param isLast whether these nodes are asked nothing else in this group of messages: then the
   *     answer to its Sync comes with the rows
   */
  JointSnapshot(
      EngineContext context,
      RoutedStatement routed,
      List<Backend> backends,
      Read read,
      boolean runsAtOnce,
      boolean isLast) {
    this.context = context;
    this.routed = routed;
    this.backends = backends;
    this.nodes = Backend.nodes(backends);
    this.read = read;
    this.runsAtOnce = runsAtOnce && mayBeDiscarded(context);
    this.syncsAtOnce = this.runsAtOnce && isLast;
  }

  /** True when nothing else is under way at any node, so that a Sync ends nothing but the read. */
  private static boolean mayBeDiscarded(EngineContext context) {
    return !context.transactions().state().isOpen() && context.backends().touched().isEmpty();
  }

  /** True when it makes no difference whether a node binds the statement once or several times. */
  static boolean isRepeatable(RoutedStatement routed) {
    return routed.facts().kind() == StatementKind.SELECT
        && !routed.writes()
        && !routed.pins()
        && !routed.maySet()
        && !routed.facts().calls().volatileFunctions()
        && !routed.facts().locks();
  }

  /**
   * Binds it on all nodes. For what is not repeatable the answers may still be due afterwards; else
   * nothing may be due before.
   *
   * @return false when a node has failed, and the client was told
   */
  boolean take() throws IOException {
    context.transactions().enterTogether(backends, routed.writes());
    if (nodes.size() == 1) {
      bind(backends.get(0));
      read.run(backends.get(0));
      return true;
    }
    ReadKnowledge known = isRepeatable(routed) ? context.gate().known(nodes) : null;
    if ((known == null || !fitsTogether(known)) && !context.replies().failed()) {
      behindGate();
    }
    return !context.replies().failed();
  }

  /** Asks all at once, until the answers fit together; false when they have not. */
  private boolean fitsTogether(ReadKnowledge first) throws IOException {
    Cancellation.Watch watch = context.gate().watch();
    ReadKnowledge known = first;
    for (int round = 0; round < ROUNDS && known != null; round++) {
      ReadKnowledge.Judgement judgement = ask(known);
      if (judgement == null) {
        return false;
      }
      context.gate().learn(nodes, known, judgement.next());
      if (judgement.verdict() == ReadKnowledge.Verdict.WHOLE) {
        runRest();
        return true;
      }
      discard();
      if (judgement.verdict() == ReadKnowledge.Verdict.UNKNOWN || context.replies().failed()) {
        return false;
      }
      watch.check();
      LockSupport.parkNanos(Math.min(FIRST_PAUSE_NANOS << round, LONGEST_PAUSE_NANOS));
      known = context.gate().known(nodes);
    }
    return false;
  }

  private ReadKnowledge.Judgement ask(ReadKnowledge known) throws IOException {
    List<ReadEvidence> evidence = Arrays.asList(new ReadEvidence[nodes.size()]);
    for (int place = 0; place < backends.size(); place++) {
      Backend backend = backends.get(place);
      bind(backend);
      askEvidence(backend, known.run(place), known.over(place), evidence, place);
      if (runsAtOnce) {
        read.run(backend);
      }
      if (syncsAtOnce) {
        context.backends().sync(backend);
      }
    }
    context.backends().requestAnswers();
    context.replies().runAll();
    return context.replies().failed() ? null : known.judge(evidence);
  }

  private void bind(Backend backend) throws IOException {
    SeveralNodes.enter(context, backend, routed);
    read.bind(backend);
  }

  private void runRest() {
    if (!runsAtOnce) {
      backends.forEach(read::run);
    }
  }

  /** The nodes forget what they have bound. */
  private void discard() throws IOException {
    ReplyQueue replies = context.replies();
    for (Backend backend : backends) {
      if (runsAtOnce) {
        context.backends().sync(backend);
        replies.add(new DiscardReply(backend.connection));
      } else {
        read.close(backend);
      }
    }
    if (runsAtOnce) {
      context.backends().flush();
      replies.runAll();
      backends.forEach(context.backends()::untouch);
    }
  }

  /** Has the answers to the Sync taken that went along with it, behind its rows. */
  void end() throws IOException {
    for (Backend backend : backends) {
      if (backend.synced) {
        context.replies().runNow(NodeReply.end(backend.connection));
        context.backends().untouch(backend);
      }
    }
  }

  private void behindGate() throws IOException {
    SnapshotGate.Hold hold = context.gate().take(routed.router().catalog(), nodes);
    boolean bound = false;
    try {
      bindBehind(hold);
      bound = true;
    } finally {
      if (!bound) {
        hold.release();
      }
    }
    context.replies().add(RouterWork.always(hold::release));
    backends.forEach(read::run);
  }

  private void bindBehind(SnapshotGate.Hold hold) throws IOException {
    boolean tells = hold.tellsEvidence() && isRepeatable(routed);
    List<ReadEvidence> evidence = Arrays.asList(new ReadEvidence[nodes.size()]);
    for (int place = 0; place < backends.size(); place++) {
      bind(backends.get(place));
      if (tells) {
        askEvidence(backends.get(place), "", ALL, evidence, place);
      }
    }
    if (tells) {
      context
          .replies()
          .add(
              RouterWork.then(
                  () -> context.gate().begin(nodes, ReadKnowledge.behindGates(nodes, evidence))));
    }
  }

  private void askEvidence(
      Backend backend, String run, long over, List<ReadEvidence> evidence, int place) {
    ReplyQueue replies = context.replies();
    byte[] name = context.backends().prepare(backend, EVIDENCE, true, replies);
    FrameWriter writer = backend.connection.writer();
    writer.begin(FrontendType.BIND).string(PORTAL).string(name).int2(0).int2(2);
    value(writer, run);
    value(writer, String.valueOf(over));
    writer.int2(0).end();
    writer.begin(FrontendType.EXECUTE).string(PORTAL).int4(0).end();
    replies.add(
        new CollectReply(
            backend.connection,
            row -> evidence.set(place, ReadEvidence.parse(text(row[0]))),
            () -> {}));
    if (!syncsAtOnce) { // Else it ends with the transaction.
      writer.begin(FrontendType.CLOSE).int1('P').string(PORTAL).end();
      replies.add(NodeReply.swallow(backend.connection));
    }
  }

  private static void value(FrameWriter writer, String value) {
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    writer.int4(bytes.length).bytes(bytes);
  }

  private static String text(byte[] value) {
    return value == null ? null : new String(value, StandardCharsets.UTF_8);
  }
}
