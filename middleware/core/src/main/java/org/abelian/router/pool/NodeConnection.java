package org.abelian.router.pool;

import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.abelian.router.error.AbelianException;
import org.abelian.router.protocol.BackendType;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.FrameWriter;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.protocol.ProtocolException;
import org.abelian.router.transport.Transport;

/**
 * One connection to a node. Its messages are written and read by one session at a time; {@link
 * #cancel} and {@link #close} may come from other threads.
 *
 * <p>A cancel request counts as under way from checking the borrower until the node has closed the
 * request's connection, which it does after signalling the backend. Giving the connection back
 * waits for that, so a late cancel never reaches the next borrower: a backend that is idle forgets
 * the signal.
 */
public final class NodeConnection {
  private static final int PREPARED_STATEMENTS = 1000;
  private static final long PREPARED_BYTES = 2 << 20;
  private static final int READ_BUFFER = 16384;
  private static final int LARGEST_IDLE_BUFFER = 1 << 16;

  /** A node that does not say within this time that it is there is as good as not there. */
  private static final int SIGN_OF_LIFE_MILLIS = 5000;

  /** So long a node may take to hear that nobody needs it any more. */
  private static final int FAREWELL_MILLIS = 1000;

  /** A node that says more than this between two statements is up to something else. */
  private static final int LARGEST_SIGN = 1 << 16;

  /** The types of messages that end the answer to one message. */
  private static final String ENDS_OF_ANSWERS =
      new String(
          new byte[] {
            BackendType.PARSE_COMPLETE,
            BackendType.BIND_COMPLETE,
            BackendType.CLOSE_COMPLETE,
            BackendType.ROW_DESCRIPTION,
            BackendType.NO_DATA,
            BackendType.COMMAND_COMPLETE,
            BackendType.PORTAL_SUSPENDED,
            BackendType.EMPTY_QUERY_RESPONSE
          },
          StandardCharsets.US_ASCII);

  private final NodeAddress address;
  private final IoContext io;
  private final NodeSocket socket;
  private final Transport transport;
  private final boolean encrypted;
  private final ByteQueue incoming;
  private final ByteQueue outgoing;
  private final FrameWriter writer;
  private final PreparedStatements prepared =
      new PreparedStatements(PREPARED_STATEMENTS, PREPARED_BYTES);
  private final ReentrantLock lending = new ReentrantLock();
  private final Condition cancelled = lending.newCondition();
  private volatile Object borrower;
  private Object lastBorrower;
  private int cancelling;
  private int processId;
  private int secretKey;
  private final Map<String, String> parameters = new HashMap<>();
  private byte transactionStatus = 'I';
  private String transactionToken;
  private long laneClock;
  private String readEvidence;
  private boolean holdsLocks;

  private String temporaryObjects;
  private SealKey sealKey;
  private long seals;
  private String defaults;
  private String settings;
  private String answeredSettings;
  private Object settingsMark;
  private volatile Object sequencesOf;
  private long schemaEpoch;
  private volatile boolean lost;
  private long sentNanos;

  /** When it was used last, by the pool's clock. */
  private volatile long usedNanos;

  NodeConnection(NodeAddress address, NodeDialer.Dialled dialled, IoContext io) {
    this.address = address;
    this.io = io;
    socket = dialled.socket();
    transport = dialled.transport();
    encrypted = dialled.encrypted();
    incoming = new ByteQueue(READ_BUFFER, io.memory());
    outgoing = new ByteQueue(8192, io.memory());
    writer = new FrameWriter(outgoing);
  }

  void opened(int processId, int secretKey, Map<String, String> parameters) {
    this.processId = processId;
    this.secretKey = secretKey;
    this.parameters.putAll(parameters);
    defaults = parameters.getOrDefault("abelian.settings", "");
    settings = defaults;
  }

  /** The node. */
  public NodeAddress address() {
    return address;
  }

  /** What the node has reported of settings, the last value of each. */
  public Map<String, String> parameters() {
    return parameters;
  }

  /** The node has reported a setting. */
  public void reported(String name, String value) {
    parameters.put(name, value);
  }

  /** The backend's process id. */
  public int processId() {
    return processId;
  }

  /** What the node has sent and nobody has consumed. */
  public ByteQueue incoming() {
    return incoming;
  }

  /** Appends messages; nothing is sent before {@link #flush}. */
  public FrameWriter writer() {
    return writer;
  }

  /** How many bytes wait to be sent. */
  public int unsent() {
    return outgoing.size();
  }

  /** What is prepared here. */
  public PreparedStatements prepared() {
    return prepared;
  }

  /** The status byte of the last ReadyForQuery: I, T or E. */
  public byte transactionStatus() {
    return transactionStatus;
  }

  /** Stores the status byte of a ReadyForQuery. */
  public void transactionStatus(byte status) {
    answeredSettings = null;
    transactionStatus = status;
    if (status == 'I') {
      transactionToken = null;
    }
  }

  /** The last abelian.transaction_id of the running transaction; null before it has one. */
  public String transactionToken() {
    return transactionToken;
  }

  /** True when the node reports a token as soon as the transaction has an id. */
  public boolean reportsTokens() {
    return parameters.containsKey("abelian.transaction_id");
  }

  /** Stores what the node reported as abelian.transaction_id. */
  public void transactionToken(String token) {
    transactionToken = token == null || token.isEmpty() ? null : token;
  }

  /**
   * The greatest timestamp of the node's lane when a transaction or a read on this connection last
   * passed its gate; 0 when none has, or the lane was never used.
   */
  public long laneClock() {
    return laneClock;
  }

  /** Stores what the node reported as abelian.lane_clock. */
  public void laneClock(String clock) {
    laneClock = clock == null || clock.isEmpty() ? 0 : Long.parseLong(clock);
  }

  /**
   * What the node has told of the snapshot of the read that was bound last: the value of
   * abelian.read_evidence; null when it has told nothing.
   */
  public String readEvidence() {
    return readEvidence;
  }

  /**
   * Stores what the node told.
   *
   * @param told null to forget
   */
  public void readEvidence(String told) {
    readEvidence = told;
  }

  /** True when it holds advisory locks that outlive transactions, as far as the node has told. */
  public boolean holdsLocks() {
    return holdsLocks;
  }

  /**
   * What stands for its temporary objects, as far as the node has told; other ones have something
   * else. Null when there are none.
   */
  public String temporaryObjects() {
    return temporaryObjects;
  }

  /**
   * Stores what the node has told of locks and temporary objects.
   *
   * @param told {@code on} or {@code off}, and behind a blank what stands for temporary objects
   */
  public void outlivesTransactions(String told) {
    int blank = told.indexOf(' ');
    holdsLocks = told.startsWith("on");
    temporaryObjects = blank < 0 ? null : told.substring(blank + 1);
  }

  /** What the node calls the connection; null when it has no names for them. */
  public String name() {
    return parameters.get("abelian.connection");
  }

  /** True when the node knows seals, and the router cannot seal here yet, or not any more. */
  public boolean lacksSealKey() {
    String name = name();
    return name != null && (sealKey == null || !sealKey.fits(name));
  }

  /**
   * From now on the router seals what it says here.
   *
   * @param key null when it does not
   */
  public void sealKey(SealKey key) {
    sealKey = key;
  }

  /** The node does not know the router's key any more. */
  public void forgetSealKey() {
    if (sealKey != null) {
      sealKey.forget();
    }
  }

  /**
   * The seal for a call of one of the node's functions on this connection. It is good once, until
   * many later ones were used.
   *
   * @param arguments their texts
   * @return null when the router does not seal here: then the node asks for none
   */
  public String seal(String function, String... arguments) {
    if (sealKey == null) {
      return null;
    }
    String[] numbered = Arrays.copyOf(arguments, arguments.length + 1);
    numbered[arguments.length] = Long.toString(++seals);
    return seals + "." + sealKey.seal(name(), function, numbered);
  }

  /**
   * The seal for a word about this connection, which holds as long as the connection.
   *
   * @return null when the router does not seal here
   */
  public String sealWord(String word, String text) {
    return sealKey == null ? null : sealKey.seal(name(), word, text);
  }

  /** What the node has said last of abelian.settings. */
  public String settings() {
    return answeredSettings == null ? settings : answeredSettings;
  }

  /** Stores what the node reported. */
  public void settings(String reported) {
    settings = reported;
  }

  /**
   * Stores what the node answered in the midst of a group of messages. It holds until the end of
   * the group: what is set then, and is not what was reported last, the node reports.
   */
  public void answeredSettings(String answer) {
    answeredSettings = answer;
  }

  /** What the node reported as abelian.settings when the connection was opened. */
  public String defaults() {
    return defaults;
  }

  /** Whatever the session uses to tell which settings are in force here; null when unknown. */
  public Object settingsMark() {
    return settingsMark;
  }

  /** Stores the session's mark. */
  public void settingsMark(Object mark) {
    settingsMark = mark;
  }

  /** Whose draws from sequences the node remembers here; null when that is not known. */
  public Object sequencesOf() {
    return sequencesOf;
  }

  /** From now on it remembers those of that session. */
  public void sequencesOf(Object session) {
    sequencesOf = session;
  }

  /** The schema epoch of the router in which the statements that are prepared here were made. */
  public long schemaEpoch() {
    return schemaEpoch;
  }

  /** Stores the epoch. */
  public void schemaEpoch(long epoch) {
    schemaEpoch = epoch;
  }

  /** True when what is sent is encrypted. */
  public boolean isEncrypted() {
    return encrypted;
  }

  /** True when nothing can be sent or read any more. */
  public boolean isLost() {
    return lost;
  }

  /** Sends what was written. */
  public void flush() throws NodeLostException {
    if (outgoing.isEmpty()) {
      return;
    }
    try {
      transport.write(outgoing.array(), outgoing.start(), outgoing.size());
      outgoing.clear(LARGEST_IDLE_BUFFER);
      sentNanos = System.nanoTime();
    } catch (IOException e) {
      throw lose(e);
    }
  }

  /**
   * Reads what the node has sent, at least one byte.
   *
   * @throws AbelianException 53200 when there is no memory for it; the connection is lost then
   */
  public void fill() throws NodeLostException {
    try {
      InjectedDelay.await(sentNanos);
      read();
    } catch (IOException e) {
      throw lose(e);
    }
  }

  private void read() throws IOException {
    try {
      if (!transport.read(incoming, incoming.isEmpty() ? READ_BUFFER / 2 : READ_BUFFER / 4)) {
        throw new EOFException("the node closed the connection");
      }
    } catch (AbelianException noMemory) {
      close();
      throw noMemory;
    }
  }

  /** Takes what the node has sent, if that is not much yet; waits for a moment at most. */
  public void fillSoon() throws NodeLostException {
    try {
      boolean takes = incoming.size() < LARGEST_IDLE_BUFFER;
      if (takes && !transport.readSoon(incoming, READ_BUFFER / 4)) {
        throw new EOFException("the node closed the connection");
      }
    } catch (IOException e) {
      throw lose(e);
    }
  }

  /**
   * Where an error stands in what has come and nobody has read. Nothing may be half read.
   *
   * @param answers how many answers to messages are looked at
   * @return -1 for none
   */
  public int findError(int answers) {
    int at = incoming.start();
    int left = answers;
    for (int length = incoming.frameAt(at); length > 0 && left > 0; length = incoming.frameAt(at)) {
      byte type = incoming.array()[at];
      if (type == BackendType.ERROR_RESPONSE) {
        return at;
      }
      left -= ENDS_OF_ANSWERS.indexOf(type) >= 0 ? 1 : 0;
      at += length;
    }
    return -1;
  }

  /**
   * What is done now and then while the node is waited for.
   *
   * @param work null for nothing
   */
  public void meanwhile(Runnable work) {
    socket.meanwhile(work);
  }

  /** Takes what the node has said while a message to it was stuck, without waiting for more. */
  public void takeAside() {
    try {
      transport.readAside(incoming, READ_BUFFER / 4);
    } catch (IOException e) {
      close(); // Whoever waits for the answer learns it.
    }
  }

  /** Waits until a whole frame is there and gives its length, type byte included. */
  public int awaitFrame() throws NodeLostException {
    for (; ; ) {
      int length = incoming.frameAt(incoming.start());
      if (length > 0) {
        return length;
      }
      fill();
    }
  }

  /** The type of the frame that comes next; only after {@link #awaitFrame}. */
  public byte frameType() {
    return incoming.array()[incoming.start()];
  }

  /**
   * How long the node may take to send or to receive something before the connection counts as
   * lost; 0 for ever.
   */
  public void timeout(int millis) {
    socket.timeout(millis);
  }

  /** When it was used last, by the pool's clock; for its borrower. */
  long usedNanos() {
    return usedNanos;
  }

  /** Its borrower has used it until now. */
  void used(long nowNanos) {
    usedNanos = nowNanos;
  }

  /**
   * Whether the node is still there: it is asked to say that it is ready. Takes a round trip; when
   * the node is not there, the connection is lost afterwards. Only between statements, for its
   * borrower.
   */
  boolean isOpenAtNode() {
    try {
      timeout(SIGN_OF_LIFE_MILLIS);
      writer.empty(FrontendType.SYNC);
      flush();
      awaitReady();
      timeout(0);
      return true;
    } catch (IOException e) {
      close();
      return false;
    }
  }

  /** What else the node has to say, such as a setting that was changed for all, stays unread. */
  private void awaitReady() throws IOException {
    int at = 0;
    for (; ; ) {
      int frame = incoming.start() + at;
      int length = incoming.frameAt(frame);
      if (length == 0) {
        if (incoming.size() > LARGEST_SIGN) {
          throw new ProtocolException("the node does not say that it is ready");
        }
        read();
        continue;
      }
      byte type = incoming.array()[frame];
      if (type == BackendType.READY_FOR_QUERY) {
        incoming.remove(at, length);
        return;
      }
      if (type == BackendType.ERROR_RESPONSE) {
        throw new EOFException("the node is closing the connection");
      }
      at += length;
    }
  }

  private NodeLostException lose(IOException cause) {
    close();
    return new NodeLostException(address, cause);
  }

  /** Appends Parse unless it is prepared already; true when a ParseComplete will come. */
  public boolean parse(NodeStatement statement) {
    if (prepared.name(statement) != null) {
      return false;
    }
    byte[] name = prepared.prepare(statement);
    writer.begin((byte) 'P').string(name).bytes(statement.body()).end();
    return true;
  }

  /**
   * Appends Close for a statement when too many are prepared; true when a CloseComplete will come.
   */
  public boolean closeSurplus() {
    byte[] name = prepared.evict();
    if (name == null) {
      return false;
    }
    writer.begin((byte) 'C').int1('S').string(name).end();
    return true;
  }

  /** The same for all that are too many, where nobody counts the answers. */
  public void closeAllSurplus() {
    boolean more = true;
    while (more) {
      more = closeSurplus();
    }
  }

  /**
   * Appends Parse for the unnamed statement unless that is the one already; true when a
   * ParseComplete will come.
   */
  public boolean parseUnnamed(NodeStatement statement) {
    if (prepared.isUnnamed(statement)) {
      return false;
    }
    prepared.prepareUnnamed(statement);
    writer.begin((byte) 'P').int1(0).bytes(statement.body()).end();
    return true;
  }

  /**
   * Lends it to a session if it is free, and nobody else used it last unless that does not matter.
   */
  boolean lend(Object session, boolean regardless) {
    lending.lock();
    try {
      if (borrower != null
          || lost
          || !(regardless || lastBorrower == null || lastBorrower == session)) {
        return false;
      }
      borrower = session;
      if (lastBorrower != session) {
        sequencesOf = null;
      }
      lastBorrower = session;
      return true;
    } finally {
      lending.unlock();
    }
  }

  /** Ends a loan; waits for cancel requests that are on their way. */
  void giveBack(boolean keepAffinity) {
    lending.lock();
    try {
      while (cancelling > 0) {
        cancelled.awaitUninterruptibly();
      }
      borrower = null;
      if (!keepAffinity) {
        lastBorrower = null;
      }
    } finally {
      lending.unlock();
    }
  }

  /**
   * Asks the node to cancel what it does for this session; does nothing when another has the
   * connection.
   */
  public void cancel(Object session) {
    if (!beginCancel(session)) {
      return;
    }
    boolean arrived = false;
    try {
      arrived = CancelRequest.send(address, io, encrypted, processId, secretKey);
    } finally {
      if (!arrived) {
        // The signal may still be on its way: nobody else may meet it. Nor is a node that does not
        // answer this worth waiting for.
        close();
      }
      endCancel();
    }
  }

  private boolean beginCancel(Object session) {
    lending.lock();
    try {
      boolean meant = borrower == session && !lost;
      cancelling += meant ? 1 : 0;
      return meant;
    } finally {
      lending.unlock();
    }
  }

  private void endCancel() {
    lending.lock();
    try {
      cancelling--;
      cancelled.signalAll();
    } finally {
      lending.unlock();
    }
  }

  /** True while a thread waits for the node. From any thread. */
  public boolean isWaiting() {
    return socket.isWaiting();
  }

  /** True while a session has it. */
  boolean isLent() {
    return borrower != null;
  }

  /** Closes the socket at once; whoever reads from it gets an error. */
  public void close() {
    lost = true;
    io.watch().remove(socket);
    transport.close();
  }

  /** Gives up its memory; when nobody has it or will have it any more. */
  void free() {
    socket.discard();
    incoming.close();
    outgoing.close();
  }

  /** Takes leave of the node and closes. */
  void terminate() {
    if (!lost) {
      outgoing.clear();
      writer.empty(FrontendType.TERMINATE);
      timeout(FAREWELL_MILLIS);
      try {
        flush();
        transport.end();
      } catch (NodeLostException e) {
        // It is gone either way.
      }
    }
    close();
  }

  @Override
  public String toString() {
    return address + "#" + processId;
  }
}
