package org.abelian.server.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.abelian.router.Router;
import org.abelian.router.RouterFigures;
import org.abelian.router.pool.NodeUse;
import org.abelian.router.session.CommitStatistics;
import org.abelian.router.transaction.NodeWatch.NodeState;

/**
 * The figures of one router as meters. Micrometer keeps and writes them: it is what Java services
 * are watched with, and knows the format. Thread-safe.
 */
public final class RouterMetrics implements AutoCloseable {
  private static final Duration[] BUCKETS = {
    Duration.ofNanos(250_000),
    Duration.ofMillis(1),
    Duration.ofMillis(5),
    Duration.ofMillis(25),
    Duration.ofMillis(100),
    Duration.ofMillis(500),
    Duration.ofSeconds(2),
    Duration.ofSeconds(10)
  };

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final RouterFigures figures;
  private final CommitStatistics commits;
  private final Set<String> counted = ConcurrentHashMap.newKeySet();
  private final Timer requests;
  private final JvmGcMetrics collections = new JvmGcMetrics();
  private final MultiGauge open =
      gauge("abelian.node.connections", "Connections to a node, used or not");
  private final MultiGauge lent =
      gauge("abelian.node.connections.used", "Connections to a node that somebody uses");
  private final MultiGauge waiting =
      gauge("abelian.node.waiting", "Sessions that wait for a connection to a node");
  private final MultiGauge split =
      gauge("abelian.node.split.objects", "Objects of a node of which a part lies in slices");
  private final MultiGauge lag =
      gauge(
          "abelian.node.lag.seconds",
          "Age of the oldest transaction that is prepared on a node and waits for its outcome");

  /** Nothing is read before it is asked for. */
  public RouterMetrics(Router router) {
    figures = router.figures();
    commits = router.statistics();
    requests =
        Timer.builder("abelian.requests")
            .description("From a client's messages to the end of what was answered")
            .serviceLevelObjectives(BUCKETS)
            .register(registry);
    gauge("abelian.sessions", "Sessions that are open", RouterFigures::sessionCount);
    gauge(
        "abelian.in.doubt",
        "Prepared transactions that recovery found and could not finish yet",
        RouterFigures::inDoubt);
    gauge("abelian.memory.used", "Bytes that sessions' buffers take", RouterFigures::memoryUsed);
    gauge("abelian.memory.limit", "Bytes that they may take", RouterFigures::memoryLimit);
    FunctionCounter.builder("abelian.analyses", figures, RouterFigures::analyses)
        .description("How often nodes were asked what a text is")
        .register(registry);
    FunctionCounter.builder("abelian.batched.reads", figures, RouterFigures::batchedReads)
        .description("Reads that were answered in a batch with those of other sessions")
        .register(registry);
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    collections.bindTo(registry);
  }

  private MultiGauge gauge(String name, String description) {
    return MultiGauge.builder(name).description(description).register(registry);
  }

  private void gauge(String name, String description, ToDoubleFunction<RouterFigures> value) {
    Gauge.builder(name, figures, value).description(description).register(registry);
  }

  /**
   * A client's messages were answered.
   *
   * @param nanos how long that took
   */
  public void answered(long nanos) {
    requests.record(nanos, TimeUnit.NANOSECONDS);
  }

  /** All of them now, in Prometheus' text format. */
  public String scrape() {
    count(
        "abelian.statements",
        "Statements by their route",
        "route",
        figures,
        RouterFigures::statements);
    count(
        "abelian.commits",
        "Commits over several nodes",
        "class",
        commits,
        CommitStatistics::classes);
    count(
        "abelian.lane.refusals",
        "Proposals that lanes refused",
        "reason",
        commits,
        CommitStatistics::refusals);
    List<NodeUse> nodes = figures.nodes();
    open.register(rows(nodes, NodeUse::open), true);
    lent.register(rows(nodes, NodeUse::lent), true);
    waiting.register(rows(nodes, NodeUse::waiting), true);
    split.register(states(NodeState::splitObjects), true);
    lag.register(states(state -> state.lagMillis() / 1000.0), true);
    return registry.scrape();
  }

  private List<MultiGauge.Row<?>> states(Function<NodeState, Number> value) {
    return figures.nodeStates().stream()
        .<MultiGauge.Row<?>>map(
            state -> MultiGauge.Row.of(Tags.of("node", state.address()), value.apply(state)))
        .toList();
  }

  private static List<MultiGauge.Row<?>> rows(
      List<NodeUse> nodes, Function<NodeUse, Integer> value) {
    return nodes.stream()
        .<MultiGauge.Row<?>>map(
            use -> MultiGauge.Row.of(Tags.of("node", use.address().toString()), value.apply(use)))
        .toList();
  }

  /**
   * One counter for each name that has been met.
   *
   * @param source kept by this object: a meter lets go of what it reads
   */
  private <T> void count(
      String name,
      String description,
      String tag,
      T source,
      Function<T, Map<String, Long>> counts) {
    for (String value : counts.apply(source).keySet()) {
      if (counted.add(name + '/' + value)) {
        FunctionCounter.builder(
                name, source, now -> counts.apply(now).getOrDefault(value, 0L).doubleValue())
            .description(description)
            .tag(tag, value)
            .register(registry);
      }
    }
  }

  @Override
  public void close() {
    collections.close();
    registry.close();
  }
}
