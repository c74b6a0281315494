package org.abelian.server.metrics;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Answers GET of {@code /metrics} and {@code /health}, one request after the other. It asks nobody
 * who they are: it belongs on an address that only those who watch can reach. The JDK's own server
 * is enough for one reader every few seconds.
 */
public final class MetricsServer implements AutoCloseable {
  private static final int OK = 200;
  private static final int METHOD_NOT_ALLOWED = 405;
  private static final int UNAVAILABLE = 503;
  private static final int BACKLOG = 20;
  private static final String TEXT = "text/plain; charset=utf-8";
  private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

  private final HttpServer server;

  private MetricsServer(HttpServer server) {
    this.server = server;
  }

  /**
   * Starts to answer.
   *
   * @param address port 0 takes a free one
   * @param isServing whether clients are served
   * @throws IOException when the port cannot be had
   */
  public static MetricsServer start(
      InetSocketAddress address, Supplier<String> metrics, BooleanSupplier isServing)
      throws IOException {
    HttpServer server = HttpServer.create(address, BACKLOG);
    server.createContext("/metrics", http -> answer(http, OK, PROMETHEUS, metrics));
    server.createContext(
        "/health",
        http -> {
          boolean serving = isServing.getAsBoolean();
          answer(
              http,
              serving ? OK : UNAVAILABLE,
              TEXT,
              () -> serving ? "serving\n" : "shutting down\n");
        });
    server.start();
    return new MetricsServer(server);
  }

  /** The port that it listens on. */
  public int port() {
    return server.getAddress().getPort();
  }

  private static void answer(HttpExchange http, int status, String type, Supplier<String> text)
      throws IOException {
    try (http) {
      if (!http.getRequestMethod().equals("GET")) {
        http.getResponseHeaders().set("Allow", "GET");
        http.sendResponseHeaders(METHOD_NOT_ALLOWED, -1);
        return;
      }
      byte[] body = text.get().getBytes(StandardCharsets.UTF_8);
      http.getResponseHeaders().set("Content-Type", type);
      http.sendResponseHeaders(status, body.length);
      http.getResponseBody().write(body);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
