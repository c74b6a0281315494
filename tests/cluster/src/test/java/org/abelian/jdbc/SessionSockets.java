package org.abelian.jdbc;

import java.io.IOException;
import java.net.Socket;
import java.util.List;
import java.util.stream.Stream;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.router.RouterConfig;
import org.abelian.router.pool.NodeAddress;
import org.abelian.router.pool.PoolLimits;
import org.abelian.router.tls.NodeTlsSettings;

/** Sockets as the driver gives them to pgjdbc: each is a session of a router in this process. */
public final class SessionSockets {
  private final String key;

  /** Of a router for the ordinary user of a cluster. */
  public SessionSockets(LocalCluster cluster) {
    List<NodeAddress> seeds =
        Stream.of(cluster.addresses().split(",")).map(NodeAddress::parse).toList();
    key =
        Routers.key(
            new RouterConfig(
                seeds,
                LocalNode.DATABASE,
                LocalNode.USER,
                LocalNode.USER,
                NodeTlsSettings.DEFAULT,
                PoolLimits.DEFAULT),
            null);
  }

  /** A new one, of which nobody knows yet who uses it. */
  public Socket open() throws IOException {
    return new RouterSocketFactory(key).createSocket();
  }

  /** What the router's buffers take, in bytes. */
  public long bufferBytes() {
    return Routers.byKey(key).memory().used();
  }
}
