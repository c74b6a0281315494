package org.abelian.workloads.evaluate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.abelian.workloads.auctionmark.AuctionMarkOptions;
import org.abelian.workloads.auctionmark.AuctionMarkWorkload;
import org.abelian.workloads.bank.BankWorkload;
import org.abelian.workloads.client.Mode;
import org.abelian.workloads.epinions.EpinionsOptions;
import org.abelian.workloads.epinions.EpinionsWorkload;
import org.abelian.workloads.incr.IncrWorkload;
import org.abelian.workloads.like.LikeOptions;
import org.abelian.workloads.like.LikeWorkload;
import org.abelian.workloads.multikey.MultiKeyOptions;
import org.abelian.workloads.multikey.MultiKeyWorkload;
import org.abelian.workloads.retwis.RetwisMix;
import org.abelian.workloads.retwis.RetwisOptions;
import org.abelian.workloads.retwis.RetwisWorkload;
import org.abelian.workloads.rubis.RubisMix;
import org.abelian.workloads.rubis.RubisOptions;
import org.abelian.workloads.rubis.RubisWorkload;
import org.abelian.workloads.tpcw.TpcwMix;
import org.abelian.workloads.tpcw.TpcwOptions;
import org.abelian.workloads.tpcw.TpcwWorkload;
import org.abelian.workloads.workload.Columns;
import org.abelian.workloads.workload.Workload;

/** All experiments. */
public final class Catalogue {
  private static final Arm PLAIN = arm(Place.ONE, Columns.PLAIN, Mode.READ_COMMITTED);
  private static final Arm PLAIN_SERIALIZABLE = arm(Place.ONE, Columns.PLAIN, Mode.SERIALIZABLE);
  private static final Arm NODE = arm(Place.ONE, Columns.ABELIAN, Mode.READ_COMMITTED);
  private static final Arm NODE_SERIALIZABLE = arm(Place.ONE, Columns.ABELIAN, Mode.SERIALIZABLE);
  private static final Arm NODE_ALONE = arm(Place.ONE, Columns.ABELIAN, Mode.AUTOCOMMIT);
  private static final Arm CLUSTER = arm(Place.CLUSTER, Columns.ABELIAN, Mode.READ_COMMITTED);
  private static final Arm CLUSTER_PLAIN = arm(Place.CLUSTER, Columns.PLAIN, Mode.READ_COMMITTED);

  private static final Arm PLAIN_CALLS = arm(Place.ONE, Columns.PLAIN, Mode.PROCEDURE);
  private static final Arm NODE_CALLS = arm(Place.ONE, Columns.ABELIAN, Mode.PROCEDURE);
  private static final Arm CLUSTER_CALLS = arm(Place.CLUSTER, Columns.ABELIAN, Mode.PROCEDURE);

  private static final double SHARE_OF_NONTRANSACTIONAL = 0.82;
  private static final String NONTRANSACTIONAL = "Claret: 0.67 to 0.82 of non-transactional";
  private static final int INCR_KEYS = 1_000_000;
  private static final int ACCOUNTS = 1000;
  private static final int SUMS_PERCENT = 10;
  private static final int GROUPS = 20;
  private static final int HALF = 50;
  private static final int ALL = 100;

  private final Size size;

  private Catalogue(Size size) {
    this.size = size;
  }

  /** The experiments of a size, in the order of the page. */
  public static List<Experiment> of(Size size) {
    Catalogue catalogue = new Catalogue(size);
    List<Experiment> experiments = new ArrayList<>();
    size.roundTrips()
        .forEach(
            roundTrip -> {
              catalogue.rubis(experiments, roundTrip);
              catalogue.retwis(experiments, roundTrip);
            });
    experiments.add(catalogue.like());
    experiments.add(catalogue.incr());
    size.multiKeys().forEach(keys -> experiments.add(catalogue.multiKey(keys)));
    experiments.add(catalogue.bank());
    experiments.add(catalogue.epinions());
    experiments.add(catalogue.auctionMark());
    size.tpcwMixes().forEach(mix -> experiments.add(catalogue.tpcw(mix)));
    return experiments;
  }

  private void rubis(List<Experiment> experiments, Duration roundTrip) {
    for (RubisMix mix : RubisMix.values()) {
      experiments.add(
          application(
              "rubis-" + mix.label(),
              "RUBiS, " + mix.label(),
              columns -> new RubisWorkload(RubisOptions.of(size.scale(), mix), columns),
              mix == RubisMix.BID_HEAVY ? 4.3 : 1,
              mix == RubisMix.BID_HEAVY ? "Claret: 4.3 over row locks" : "",
              roundTrip));
    }
  }

  private void retwis(List<Experiment> experiments, Duration roundTrip) {
    for (RetwisMix mix : RetwisMix.values()) {
      experiments.add(
          application(
              "retwis-" + mix.label(),
              "Retwis, " + mix.label(),
              columns -> new RetwisWorkload(RetwisOptions.of(size.retwisScale(), mix), columns),
              mix == RetwisMix.POST_HEAVY ? 3.6 : 1,
              mix == RetwisMix.POST_HEAVY ? "Claret: 3.6 over row locks" : "",
              roundTrip));
    }
  }

  /**
   * One of the applications of the Claret paper, at both isolation levels, without, and as calls.
   */
  private Experiment application(
      String name,
      String title,
      Function<Columns, Workload> workload,
      double goal,
      String paper,
      Duration roundTrip) {
    return new Experiment(
        name + "-" + roundTrip.toNanos() / 1000 + "us",
        "%s, round trip %s ms".formatted(title, roundTrip.toNanos() / 1e6),
        List.of(new Point("", workload)),
        List.of(
            PLAIN_SERIALIZABLE,
            NODE_SERIALIZABLE,
            PLAIN,
            NODE,
            NODE_ALONE,
            CLUSTER,
            CLUSTER_PLAIN,
            NODE_CALLS,
            CLUSTER_CALLS),
        List.of(
            new Comparison(
                "node_over_plain_serializable", NODE_SERIALIZABLE, PLAIN_SERIALIZABLE, goal, paper),
            new Comparison("node_over_plain_read_committed", NODE, PLAIN, 1, ""),
            new Comparison(
                "node_serializable_over_no_transactions",
                NODE_SERIALIZABLE,
                NODE_ALONE,
                SHARE_OF_NONTRANSACTIONAL,
                NONTRANSACTIONAL),
            new Comparison(
                "node_over_no_transactions",
                NODE,
                NODE_ALONE,
                SHARE_OF_NONTRANSACTIONAL,
                NONTRANSACTIONAL),
            new Comparison("three_nodes_over_plain_read_committed", CLUSTER, PLAIN, Double.NaN, ""),
            new Comparison("three_nodes_over_plain_columns", CLUSTER, CLUSTER_PLAIN, 1, ""),
            compare("node_calls_over_statements", NODE_CALLS, NODE),
            compare("three_nodes_calls_over_statements", CLUSTER_CALLS, CLUSTER)),
        size.clients(),
        roundTrip);
  }

  private Experiment like() {
    return micro(
        "like",
        "LIKE",
        size.readPercents().stream()
            .map(
                reads ->
                    new Point(
                        reads + "% reads",
                        columns -> new LikeWorkload(LikeOptions.of(size.scale(), reads), columns)))
            .toList(),
        1,
        "Doppel: ahead of OCC except where nearly all is read");
  }

  private Experiment incr() {
    int keys = (int) Math.max(INCR_KEYS * size.scale(), 2);
    return micro(
        "incr",
        "INCR",
        List.of(
            new Point("one key", columns -> new IncrWorkload(keys, ALL, columns)),
            new Point("different keys", columns -> new IncrWorkload(keys, 0, columns))),
        Double.NaN,
        "Doppel: far ahead of OCC on one key, equal on different keys");
  }

  private Experiment multiKey(int keys) {
    return micro(
        "multikey-" + keys,
        "Multi-get and multi-put of " + keys + " keys",
        columns -> new MultiKeyWorkload(new MultiKeyOptions(GROUPS, keys, HALF), columns));
  }

  private Experiment bank() {
    return micro(
        "bank",
        "Bank transfers beside sums",
        columns -> new BankWorkload(ACCOUNTS, SUMS_PERCENT, columns));
  }

  private Experiment epinions() {
    return micro(
        "epinions",
        "EPinions",
        columns -> new EpinionsWorkload(EpinionsOptions.of(size.scale()), columns));
  }

  private Experiment auctionMark() {
    return micro(
        "auctionmark",
        "AuctionMark",
        columns -> new AuctionMarkWorkload(AuctionMarkOptions.of(size.scale()), columns));
  }

  private Experiment tpcw(TpcwMix mix) {
    return micro(
        "tpcw-" + mix.label(),
        "TPC-W, " + mix.label(),
        columns -> new TpcwWorkload(TpcwOptions.of(size.scale(), mix), columns));
  }

  /** One point, of which no paper has figures. */
  private Experiment micro(String name, String title, Function<Columns, Workload> workload) {
    return micro(name, title, List.of(new Point("", workload)), Double.NaN, "");
  }

  /** Short transactions at READ COMMITTED, without a network, also as calls where it has some. */
  private Experiment micro(
      String name, String title, List<Point> points, double goal, String paper) {
    List<Arm> arms = new ArrayList<>(List.of(PLAIN, NODE, CLUSTER, CLUSTER_PLAIN));
    List<Comparison> comparisons = new ArrayList<>();
    comparisons.add(new Comparison("node_over_plain", NODE, PLAIN, goal, paper));
    comparisons.add(compare("three_nodes_over_plain", CLUSTER, PLAIN));
    comparisons.add(compare("three_nodes_over_plain_columns", CLUSTER, CLUSTER_PLAIN));
    if (!points.get(0).workload().apply(Columns.PLAIN).procedures().isEmpty()) {
      arms.addAll(List.of(PLAIN_CALLS, NODE_CALLS, CLUSTER_CALLS));
      comparisons.add(compare("node_calls_over_plain_calls", NODE_CALLS, PLAIN_CALLS));
      comparisons.add(compare("three_nodes_calls_over_plain_calls", CLUSTER_CALLS, PLAIN_CALLS));
      comparisons.add(compare("three_nodes_calls_over_statements", CLUSTER_CALLS, CLUSTER));
    }
    return new Experiment(name, title, points, arms, comparisons, size.clients(), Duration.ZERO);
  }

  private static Comparison compare(String name, Arm over, Arm under) {
    return new Comparison(name, over, under, Double.NaN, "");
  }

  private static Arm arm(Place place, Columns columns, Mode mode) {
    return new Arm(place, columns, mode);
  }
}
