package org.abelian.workloads.commit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.QueryResult;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.FrameWriter;
import org.abelian.router.protocol.FrontendType;

/** A connection to one node, whose messages are pipelined. */
final class NodeSession {
  private final int nodeId;
  private final NodeConnection connection;

  NodeSession(int nodeId, NodeConnection connection) {
    this.nodeId = nodeId;
    this.connection = connection;
  }

  /** Appends a prepared statement. */
  void add(NodeStatement statement, String... values) {
    connection.parse(statement);
    FrameWriter writer = connection.writer();
    writer.begin(FrontendType.BIND).int1(0).string(connection.prepared().name(statement));
    writer.int2(0).int2(values.length);
    for (String value : values) {
      byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
      writer.int4(bytes.length).bytes(bytes);
    }
    writer.int2(0).end();
    writer.begin(FrontendType.EXECUTE).int1(0).int4(0).end();
  }

  /** Appends a statement that is another each time. */
  void addOnce(String sql) {
    connection.parseUnnamed(NodeStatement.of(sql));
    FrameWriter writer = connection.writer();
    writer.begin(FrontendType.BIND).int1(0).int1(0).int2(0).int2(0).int2(0).end();
    writer.begin(FrontendType.EXECUTE).int1(0).int4(0).end();
  }

  /** Sends what was appended. */
  void go() throws NodeLostException {
    connection.writer().empty(FrontendType.SYNC);
    connection.flush();
  }

  /** Waits for the answer to what was sent, which is to be no error. */
  void succeed() throws IOException, SQLException {
    QueryResult result = NodeCall.await(connection, true);
    if (!result.succeeded()) {
      throw new SQLException(result.errorFields().message(), result.errorFields().sqlState());
    }
  }

  int nodeId() {
    return nodeId;
  }

  void close() {
    connection.close();
  }
}
