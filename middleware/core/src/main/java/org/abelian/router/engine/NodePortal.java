package org.abelian.router.engine;

import java.util.List;
import org.abelian.router.backend.Backend;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.FrameWriter;
import org.abelian.router.protocol.FrontendType;

/** The messages of one portal to one node, under the client's name for it. */
final class NodePortal {
  private final EngineContext context;
  private final Backend backend;
  private final byte[] name;

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
    values.write(backend.connection.writer(), prepared);
    context.replies().add(NodeReply.swallow(backend.connection));
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

  /** Asks for the description of its result. */
  void describe() {
    context.backends().touch(backend);
    connection().writer().begin(FrontendType.DESCRIBE).int1('P').string(name).end();
  }

  /** Asks for the description of its result, and passes it on in the form that is wanted. */
  void describe(Execution.Description wanted) {
    describe();
    awaitDescription(wanted);
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

  /** Closes it, if the node is still there. */
  void close() {
    if (backend.isUsable()) {
      context.backends().touch(backend);
      connection().writer().begin(FrontendType.CLOSE).int1('P').string(name).end();
      context.replies().add(NodeReply.swallow(connection()));
    }
  }
}
