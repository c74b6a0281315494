package org.abelian.router.engine;

import java.util.List;
import org.abelian.router.backend.Backend;
import org.abelian.router.execution.ColumnOrigins;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.FrameWriter;
import org.abelian.router.protocol.FrontendType;

/**
 * The messages of one portal to one node, under the client's name for it, or under one by which the
 * router asks for evidence ({@link JointSnapshot}).
 */
final class NodePortal {
  private static final NodeStatement NO_ROWS = NodeStatement.of("SELECT WHERE false");
  private static final BindMessage WITHOUT_VALUES = BindMessage.withoutValues();

  private final EngineContext context;
  private final Backend backend;
  private byte[] name;
  private boolean hasOwnName;
  private ColumnOrigins origins;

  /** Keeps the client's name; null unless the portal has another one. */
  private NodePortal reserved;

  NodePortal(EngineContext context, Backend backend, byte[] name) {
    this.context = context;
    this.backend = backend;
    this.name = name;
  }

  Backend backend() {
    return backend;
  }

  NodeConnection connection() {
    return backend.connection;
  }

  /** Binds a statement; the node's answer is the router's affair. */
  void bind(NodeStatement statement, boolean named, BindMessage values) {
    byte[] prepared = context.backends().prepare(backend, statement, named, context.replies());
    FrameWriter writer = backend.connection.writer().begin(FrontendType.BIND).string(name);
    writer.string(prepared).bytes(values.array(), values.tailAt(), values.tailLength()).end();
    context.replies().add(NodeReply.swallow(backend.connection));
  }

  /** The same, for rows as texts whatever the client wants. */
  void bindAsText(NodeStatement statement, boolean named, BindMessage values) {
    byte[] prepared = context.backends().prepare(backend, statement, named, context.replies());
    FrameWriter writer = backend.connection.writer().begin(FrontendType.BIND).string(name);
    int length = values.resultFormatsAt() - values.tailAt();
    writer.string(prepared).bytes(values.array(), values.tailAt(), length).int2(0).end();
    context.replies().add(NodeReply.swallow(backend.connection));
  }

  /** Binds a query that gives nothing. */
  void bindWithoutRows() {
    bind(NO_ROWS, true, WITHOUT_VALUES);
  }

  /** The name that nodes know it by. */
  byte[] name() {
    return name;
  }

  /**
   * From now on the portal has another name than the client's. If that is a name, it is kept by a
   * portal without rows, so that the node refuses it to others, and lists it.
   */
  void rename(byte[] own) {
    if (!hasOwnName && name.length > 0) {
      reserved = new NodePortal(context, backend, name);
      reserved.bindWithoutRows();
    }
    name = own;
    hasOwnName = true;
  }

  /** The same with more values after those of the client. */
  void bind(NodeStatement statement, BindMessage values, List<ByteQueue> more) {
    byte[] prepared = context.backends().prepare(backend, statement, false, context.replies());
    FrameWriter writer = values.begin(backend.connection.writer(), prepared);
    values.writeValues(writer, more);
    int formats = values.resultFormatsAt();
    writer.bytes(values.array(), formats, values.end() - formats).end();
    context.replies().add(NodeReply.swallow(backend.connection));
  }

  /** The same, for rows as texts whatever the client wants. */
  void bindAsText(NodeStatement statement, BindMessage values, List<ByteQueue> more) {
    byte[] prepared = context.backends().prepare(backend, statement, false, context.replies());
    FrameWriter writer = backend.connection.writer().begin(FrontendType.BIND).string(name);
    writer.string(prepared);
    values.writeValues(writer, more);
    writer.int2(0).end();
    context.replies().add(NodeReply.swallow(backend.connection));
  }

  /** Asks for the description of its result. */
  void describe() {
    context.backends().touch(backend);
    connection().writer().begin(FrontendType.DESCRIBE).int1('P').string(name).end();
  }

  /** The columns of its result come from there, whatever the node says. */
  void origins(ColumnOrigins known) {
    origins = known;
  }

  /** Asks for the description of its result, and passes it on in the form that is wanted. */
  void describe(Execution.Description wanted) {
    describe();
    if (origins == null) {
      awaitDescription(wanted);
    } else {
      context.replies().add(origins.restore(connection()));
    }
  }

  /** Passes on the description that it was asked for. */
  void awaitDescription(Execution.Description wanted) {
    context
        .replies()
        .add(
            wanted == Execution.Description.FULL
                ? NodeReply.pass(connection())
                : NodeReply.describeRows(connection()));
  }

  /** Asks for rows, which may be many; 0 for all. */
  void execute(int limit) {
    context.replies().expectRows();
    run(limit);
  }

  /** Runs it, to the end or until so many rows are there; 0 for all. */
  void run(int limit) {
    context.backends().touch(backend);
    connection().writer().begin(FrontendType.EXECUTE).string(name).int4(limit).end();
  }

  /**
   * The client's name stands for another portal now, or for none: a portal that has another name
   * would outlive it until the transaction ends.
   */
  void forget() {
    if (hasOwnName && backend.begun) {
      close();
    }
  }

  /** Closes it, if the node is still there. */
  void close() {
    closeOwn();
    if (reserved != null) {
      reserved.close();
    }
  }

  /** The same, but the client's name stays reserved: it is to be bound anew. */
  void closeOwn() {
    close(name);
  }

  /** Closes what was bound under a name that it had before. */
  void close(byte[] earlier) {
    if (backend.isUsable()) {
      context.backends().touch(backend);
      connection().writer().begin(FrontendType.CLOSE).int1('P').string(earlier).end();
      context.replies().add(NodeReply.swallow(connection()));
    }
  }
}
