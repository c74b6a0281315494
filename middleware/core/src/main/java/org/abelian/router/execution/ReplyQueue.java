package org.abelian.router.execution;

import java.io.IOException;
import java.util.ArrayDeque;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;

/**
 * The steps that answer what a client has sent, in the client's order. When one fails, those after
 * it are left out until the group of messages ends, as PostgreSQL skips messages until Sync. Not
 * thread-safe.
 */
public final class ReplyQueue implements ReplyContext {
  private final ClientOutput output;
  private ErrorPolicy errors;
  private ObjectNumbers numbers = ObjectNumbers.ALIKE;
  private final ArrayDeque<Reply> steps = new ArrayDeque<>();
  private boolean failed;
  private boolean expectsRows;
  private int timeoutMillis;
  private CopyTarget copyIn;

  /**
   * The client is not asked to take anything meanwhile: what is there may grow beyond its bound.
   */
  private boolean runsNow;

  /** Of which what is added is a part; null for nothing. */
  private JointAnswers joint;

  /** What the answers become before the client gets them; null for nothing else. */
  private Diversion diversion;

  /** An empty queue; whoever lets it read from nodes says before what becomes of errors. */
  public ReplyQueue(ClientOutput output) {
    this.output = output;
  }

  /** What becomes of errors. */
  public void errors(ErrorPolicy policy) {
    errors = policy;
  }

  /** By which numbers the client knows users' objects. */
  public void numbers(ObjectNumbers known) {
    numbers = known;
  }

  @Override
  public ObjectNumbers numbers() {
    return numbers;
  }

  /** Where the answers go. */
  @Override
  public ClientOutput output() {
    return diversion == null ? output : diversion.staged();
  }

  @Override
  public boolean isFull() {
    passOn();
    if (runsNow) {
      return false; // The budget of memory still holds.
    }
    return diversion == null ? output.queue().size() >= OUTPUT_MAX : diversion.waitsFor(output);
  }

  /** From now on the answers become something else, before what they become already. */
  public void divert(Diversion other) {
    other.outer(diversion);
    diversion = other;
  }

  /** What was diverted has all come, unless one of the steps failed. */
  public void endDiversion() {
    Diversion ended = diversion;
    if (ended == null) {
      return;
    }
    diversion = ended.outer();
    if (!failed) {
      ended.finish(output());
    }
    ended.close();
  }

  /** The session is over. */
  public void abandon() {
    while (diversion != null) {
      diversion.close();
      diversion = diversion.outer();
    }
  }

  private void passOn() {
    if (diversion == null || failed) {
      return;
    }
    try {
      Diversion outer = diversion.outer();
      diversion.passOn(outer == null ? output : outer.staged());
    } catch (RuntimeException e) {
      fail(e);
    }
  }

  /** Adds a step. */
  public void add(Reply step) {
    steps.add(joint == null ? step : joint.part(step));
  }

  /**
   * What is added from now on are answers of nodes that run one statement together.
   *
   * @param answers null when it is not
   */
  public void joint(JointAnswers answers) {
    joint = answers;
  }

  /**
   * What the work adds is no part of such a statement.
   *
   * @throws AbelianException 08006 when a node is lost meanwhile
   */
  public void apart(RouterWork.Work work) {
    JointAnswers before = joint;
    joint = null;
    try {
      work.run();
    } catch (IOException e) {
      throw new AbelianException(SqlState.CONNECTION_FAILURE, e.getMessage(), null);
    } finally {
      joint = before;
    }
  }

  /** True when everything is answered. */
  public boolean isEmpty() {
    return steps.isEmpty();
  }

  /** How many answers are due. */
  int size() {
    return steps.size();
  }

  /** One of the answers that are due may be long. */
  public void expectRows() {
    expectsRows = true;
  }

  /** True when one of the answers that are due may be long. */
  boolean expectsRows() {
    return expectsRows;
  }

  /** True when a step of this group failed. */
  @Override
  public boolean failed() {
    return failed;
  }

  /** The rest of the group is left out. */
  public void fail() {
    failed = true;
  }

  @Override
  public void fail(RuntimeException cause) {
    if (!failed) {
      failed = true;
      errors.stepFailed(cause);
    }
  }

  /** A new group begins. */
  public void beginGroup() {
    failed = false;
    joint = null;
  }

  /** How long a node may take to send something; 0 for ever. */
  public void timeout(int millis) {
    timeoutMillis = millis;
  }

  /** How long a node may take to send something; 0 for ever. */
  @Override
  public int timeout() {
    return timeoutMillis;
  }

  /** What waits for the client's COPY data; null for nothing. */
  public CopyTarget copyIn() {
    return copyIn;
  }

  @Override
  public void copyIn(CopyTarget target) {
    copyIn = target;
  }

  /** The client has ended its COPY data. */
  public void endCopyIn() {
    copyIn = null;
  }

  /**
   * Runs steps until all are done or the client should take what is there; in COPY, until the
   * client's data is needed.
   */
  public void run() throws IOException {
    while (!steps.isEmpty()) {
      Reply step = steps.peek();
      boolean waits = (!failed || step.runsAfterFailure()) && !runSafely(step);
      passOn();
      if (waits) {
        return;
      }
      steps.poll();
    }
    expectsRows = false;
  }

  /**
   * Runs all of them now. For replies of nodes that the client sees nothing of; they never wait for
   * the client.
   */
  public void runAll() throws IOException {
    while (!steps.isEmpty()) {
      runNow(steps.poll());
      passOn();
    }
  }

  /** Runs a reply now, before those that wait. It must not wait for the client. */
  public void runNow(Reply reply) throws IOException {
    boolean before = runsNow;
    runsNow = true;
    try {
      if ((!failed || reply.runsAfterFailure()) && !runSafely(reply)) {
        throw new IllegalStateException("a reply waits for the client, who is not asked: " + reply);
      }
    } finally {
      runsNow = before;
    }
  }

  private boolean runSafely(Reply step) throws IOException {
    try {
      return step.run(this);
    } catch (RuntimeException e) {
      failed = true;
      errors.stepFailed(e);
      return true;
    }
  }

  @Override
  public void nodeError(NodeConnection connection, byte[] array, int frame, int length) {
    if (!failed) {
      failed = true;
      errors.nodeError(connection, array, frame, length);
    }
  }

  @Override
  public void nodeLost(NodeConnection connection, NodeLostException cause) {
    if (!failed) {
      failed = true;
      errors.nodeLost(connection, cause);
    }
  }
}
