package org.abelian.models.independent;

import java.util.Arrays;

/** A state of the whole world, as small numbers in one array. */
final class State {
  /** What one number, or one row of numbers, is about. */
  enum Field {
    UP(Of.NODE),
    /** Which run of the node this is, from 1. */
    RUN(Of.NODE),
    OPEN(Of.NODE),
    /** The greatest timestamp that the node has given or taken. */
    LAST(Of.NODE),
    LOG_LENGTH(Of.NODE),
    /** So many entries of the log are on disk. */
    DURABLE(Of.NODE),
    GATE(Of.NODE),
    LOG(Of.NODE_LOG),
    LOG_TIMESTAMP(Of.NODE_LOG),
    /** The run of a peer below which a node refuses. */
    FENCE(Of.NODE_NODE),
    ENTRY(Of.NODE_TRANSACTION),
    ENTRY_TIMESTAMP(Of.NODE_TRANSACTION),
    /** The record of the executed fragment. */
    RECORD(Of.NODE_TRANSACTION),
    PHASE(Of.TRANSACTION),
    TIMESTAMP(Of.TRANSACTION),
    /** The runs of the participants that the router knew when it began. */
    KNOWN(Of.TRANSACTION_NODE),
    FLIGHT(Of.TRANSACTION_NODE),
    PROPOSAL(Of.TRANSACTION_NODE),
    ACKNOWLEDGED(Of.TRANSACTION_NODE),
    SETTLING(Of.TRANSACTION),
    SETTLING_EVIDENCE(Of.TRANSACTION),
    SETTLING_ASKED(Of.TRANSACTION_NODE),
    /** The run for which somebody lets the node catch up; 0 when nobody does. */
    CATCHING_UP(Of.NODE),
    CATCHING_UP_ASKED(Of.NODE_NODE),
    CATCHING_UP_EVIDENCE(Of.NODE_TRANSACTION),
    COORDINATED(Of.WORLD),
    /** The greatest timestamp that the coordinated transaction has met on its nodes. */
    CLOCK(Of.WORLD),
    CRASHES_LEFT(Of.WORLD),
    ROUTERS_LEFT(Of.WORLD),
    LOSSES_LEFT(Of.WORLD),
    JUMPS_LEFT(Of.WORLD),
    HASTY_LEFT(Of.WORLD);

    private enum Of {
      WORLD,
      NODE,
      NODE_LOG,
      NODE_NODE,
      NODE_TRANSACTION,
      TRANSACTION,
      TRANSACTION_NODE
    }

    private final Of of;

    Field(Of of) {
      this.of = of;
    }

    private int rows(Setting setting) {
      return switch (of) {
        case WORLD -> 1;
        case NODE, NODE_LOG, NODE_NODE, NODE_TRANSACTION -> setting.nodes();
        case TRANSACTION, TRANSACTION_NODE -> setting.transactions();
      };
    }

    private int width(Setting setting) {
      return switch (of) {
        case WORLD, NODE, TRANSACTION -> 1;
        case NODE_LOG -> setting.transactions() + 2;
        case NODE_NODE, TRANSACTION_NODE -> setting.nodes();
        case NODE_TRANSACTION -> setting.transactions();
      };
    }
  }

  /** Values of {@link Field#ENTRY}. */
  static final int NONE = 0;

  static final int PROPOSED = 1;
  static final int FINAL = 2;
  static final int FROZEN = 3;
  static final int TOMBSTONE = 4;

  /** Values of {@link Field#PHASE}. */
  static final int IDLE = 0;

  static final int PROPOSING = 1;
  static final int EXECUTING = 2;
  static final int GAVE_UP = 3;
  static final int CONFIRMED = 4;
  static final int TOLD_COMMITTED = 5;
  static final int TOLD_ABORTED = 6;
  static final int DEAD = 7;

  /** Values of {@link Field#FLIGHT}. */
  static final int PROPOSE = 1;

  static final int EXECUTE = 2;

  /** Values of {@link Field#SETTLING}. */
  static final int GATHER = 1;

  static final int COMPLETE = 2;
  static final int CANCEL = 3;

  /** Values of {@link Field#GATE}: what a coordinated transaction has on a node. */
  static final int LOCKS = 1;

  static final int WAITS = 2;
  static final int PREPARED = 3;
  static final int ENDED = 4;

  /** Values of {@link Field#COORDINATED}. */
  static final int WORKING = 0;

  static final int DECIDED = 1;
  static final int COMMITTED = 2;
  static final int ABORTED = 3;

  private static final int BITS_OF_TRANSACTION = 3;

  private final Setting setting;
  private final int[] base;
  private final int[] width;
  private final byte[] values;

  private State(Setting setting, int[] base, int[] width, byte[] values) {
    this.setting = setting;
    this.base = base;
    this.width = width;
    this.values = values;
  }

  /** All nodes are up with open lanes, and nothing has begun. */
  static State initial(Setting setting) {
    Field[] fields = Field.values();
    int[] base = new int[fields.length];
    int[] width = new int[fields.length];
    int size = 0;
    for (Field field : fields) {
      base[field.ordinal()] = size;
      width[field.ordinal()] = field.width(setting);
      size += field.rows(setting) * field.width(setting);
    }
    State state = new State(setting, base, width, new byte[size]);
    for (int node = 0; node < setting.nodes(); node++) {
      state.set(Field.UP, node, 1);
      state.set(Field.OPEN, node, 1);
      state.set(Field.RUN, node, 1);
    }
    state.set(Field.CRASHES_LEFT, 0, setting.faults().crashes());
    state.set(Field.ROUTERS_LEFT, 0, setting.faults().routers());
    state.set(Field.LOSSES_LEFT, 0, setting.faults().losses());
    state.set(Field.JUMPS_LEFT, 0, setting.faults().jumps());
    state.set(Field.HASTY_LEFT, 0, setting.faults().hasty());
    return state;
  }

  State copy() {
    return new State(setting, base, width, values.clone());
  }

  Setting setting() {
    return setting;
  }

  int get(Field field, int row) {
    return values[base[field.ordinal()] + row * width[field.ordinal()]];
  }

  int get(Field field, int row, int column) {
    return values[base[field.ordinal()] + row * width[field.ordinal()] + column];
  }

  void set(Field field, int row, int value) {
    values[base[field.ordinal()] + row * width[field.ordinal()]] = (byte) value;
  }

  void set(Field field, int row, int column, int value) {
    values[base[field.ordinal()] + row * width[field.ordinal()] + column] = (byte) value;
  }

  /** Sets a whole row to 0. */
  void clear(Field field, int row) {
    int from = base[field.ordinal()] + row * width[field.ordinal()];
    Arrays.fill(values, from, from + width[field.ordinal()], (byte) 0);
  }

  boolean is(Field field, int row) {
    return get(field, row) != 0;
  }

  /** A place in the serial order: timestamps, and transactions' numbers between equal ones. */
  static int key(int timestamp, int transaction) {
    return timestamp << BITS_OF_TRANSACTION | transaction;
  }

  /** Where in the node's log the transaction is; -1 when it is not there. */
  int logged(int node, int transaction) {
    for (int at = 0; at < get(Field.LOG_LENGTH, node); at++) {
      if (get(Field.LOG, node, at) == transaction) {
        return at;
      }
    }
    return -1;
  }

  /** The key of the last fragment executed on the node; -1 when there is none. */
  int watermark(int node) {
    int greatest = -1;
    for (int at = 0; at < get(Field.LOG_LENGTH, node); at++) {
      int transaction = get(Field.LOG, node, at);
      if (transaction < setting.transactions() && !setting.isRead(transaction)) {
        greatest = Math.max(greatest, key(get(Field.LOG_TIMESTAMP, node, at), transaction));
      }
    }
    return greatest;
  }

  /** Adds to the end of the node's log, without flushing it. */
  void append(int node, int transaction, int timestamp) {
    int at = get(Field.LOG_LENGTH, node);
    set(Field.LOG, node, at, transaction);
    set(Field.LOG_TIMESTAMP, node, at, timestamp);
    set(Field.LOG_LENGTH, node, at + 1);
  }

  void flush(int node) {
    set(Field.DURABLE, node, get(Field.LOG_LENGTH, node));
  }

  /** True when the node keeps a place for the transaction in its lane. */
  boolean isPending(int node, int transaction) {
    int entry = get(Field.ENTRY, node, transaction);
    return entry == PROPOSED || entry == FINAL || entry == FROZEN;
  }

  boolean isAnythingPending(int node) {
    for (int transaction = 0; transaction < setting.transactions(); transaction++) {
      if (isPending(node, transaction)) {
        return true;
      }
    }
    return false;
  }

  /** 64 bits that stand for the state: the chance that two of ten million share them is 3e-6. */
  long fingerprint() {
    long hash = 0x9E3779B97F4A7C15L;
    for (byte value : values) {
      hash = (hash ^ value) * 0xD6E8FEB86659FD93L;
      hash ^= hash >>> 32;
    }
    return hash;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (Field field : Field.values()) {
      int from = base[field.ordinal()];
      int to = from + field.rows(setting) * field.width(setting);
      text.append(field).append(Arrays.toString(Arrays.copyOfRange(values, from, to))).append(' ');
    }
    return text.toString();
  }
}
