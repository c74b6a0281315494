package org.abelian.workloads.command;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.abelian.workloads.database.CommitCounts;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.measure.BenchResult;
import org.abelian.workloads.measure.Interleaving;
import org.abelian.workloads.measure.Measurements;
import org.abelian.workloads.measure.Sample;
import org.abelian.workloads.measure.Variant;
import org.abelian.workloads.tpcc.check.Condition;
import org.abelian.workloads.tpcc.check.ConsistencyCheck;
import org.abelian.workloads.tpcc.check.Violations;
import org.abelian.workloads.tpcc.journal.Journal;
import org.abelian.workloads.tpcc.load.ProcedureInstaller;
import org.abelian.workloads.tpcc.run.RunResult;
import org.abelian.workloads.tpcc.run.TpccRun;
import org.abelian.workloads.tpcc.run.WarehouseLocations;
import org.abelian.workloads.tpcc.schema.ColumnKind;
import org.abelian.workloads.tpcc.schema.Scale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The whole benchmark: create, load, run, check; or cluster against plain PostgreSQL. */
@Command(
    name = "tpcc",
    mixinStandardHelpOptions = true,
    description =
        "TPC-C: creates the tables, loads them, runs the mix and checks the consistency conditions."
            + " With --compare: the cluster through the driver against one plain PostgreSQL, in"
            + " rounds.",
    subcommands = {TpccLoadCommand.class, TpccRunCommand.class, TpccCheckCommand.class})
final class TpccCommand implements Callable<Integer> {
  private static final String INTERACTIVE = "interactive";
  private static final String PROCEDURES = "procedures";

  @Mixin private Connect connect = new Connect();
  @Mixin private Size size = new Size();
  @Mixin private RunSettings settings = new RunSettings();
  @Mixin private Tables tables = new Tables();

  @Option(names = "--compare", description = "interleave with a plain PostgreSQL")
  private boolean compare;

  @Mixin private PlainUrl plainUrl;

  @Option(
      names = "--rounds",
      defaultValue = "3",
      description = "with --compare and --procedures; default: ${DEFAULT-VALUE}")
  private int rounds;

  @Option(names = "--reuse", description = "run on what an earlier benchmark has loaded")
  private boolean reuse;

  @Mixin private Results results = new Results();

  @Override
  public Integer call() throws Exception {
    Database database = connect.database();
    Scale scale = size.scale();
    if (!reuse) {
      tables.load(database, scale, tables.columns(), tables.isPlaced(database), settings.seed());
    }
    if (settings.procedures()) {
      if (compare) {
        throw new UsageException("--procedures needs a cluster: run it without --compare");
      }
      new ProcedureInstaller(database).install(scale.warehouses());
    }
    BenchResult result = run(database, scale);
    Map<Condition, Violations> findings = new ConsistencyCheck(database).run();
    result.further().put("consistency", RunReport.findings(findings));
    results.publish(result);
    System.out.println();
    RunReport.printFindings(findings, System.out);
    return ConsistencyCheck.holds(findings) ? 0 : 1;
  }

  private BenchResult run(Database database, Scale scale) throws Exception {
    if (settings.procedures()) {
      return againstInteractive(database, scale);
    }
    return compare ? compare(database, scale) : single(database, scale);
  }

  /** The same mix with the two procedures and statement by statement, on the same tables. */
  private BenchResult againstInteractive(Database cluster, Scale scale) throws Exception {
    WarehouseLocations locations = tables.locations(cluster);
    Map<String, Object> further = new LinkedHashMap<>();
    List<Variant> variants =
        List.of(
            counted(
                variant(INTERACTIVE, cluster, scale, locations, false, further), cluster, further),
            counted(
                variant(PROCEDURES, cluster, scale, locations, true, further), cluster, further));
    Measurements measured = new Interleaving(variants, rounds).run(System.err::println);
    Map<String, Object> parameters = parameters(scale);
    parameters.put("rounds", rounds);
    Map<String, Double> ratios = new LinkedHashMap<>();
    ratios.put("procedures_over_interactive", measured.ratio(PROCEDURES, INTERACTIVE));
    return new BenchResult("tpcc", parameters, measured.rows(), ratios, further);
  }

  /** Tells as well which classes the router has committed in. */
  private static Variant counted(Variant variant, Database cluster, Map<String, Object> further) {
    return new Variant(
        variant.name(),
        variant.clients(),
        round -> {
          Map<String, Long> before = CommitCounts.of(cluster);
          Sample sample = variant.measurement().measure(round);
          Map<String, Long> counts = CommitCounts.between(before, CommitCounts.of(cluster));
          String name = variant.name() + "_round_" + (round + 1) + "_commits_counted";
          further.put(name, counts);
          System.err.println("  " + variant.name() + " committed, warm-up included: " + counts);
          return sample;
        });
  }

  private BenchResult single(Database database, Scale scale) throws Exception {
    WarehouseLocations locations = tables.locations(database);
    RunResult run =
        new TpccRun(database, settings.options(scale, 0), locations, Journal.NONE)
            .run(Progress::second);
    RunReport.printShares(run, System.out);
    return new BenchResult(
        "tpcc",
        parameters(scale),
        RunReport.rows("tpcc", settings.terminals(), run),
        Map.of(),
        RunReport.further(run));
  }

  private BenchResult compare(Database cluster, Scale scale) throws Exception {
    Database plain = plainUrl.database();
    if (!reuse) {
      tables.load(plain, scale, ColumnKind.PLAIN, false, settings.seed());
    }
    WarehouseLocations locations = tables.locations(cluster);
    Map<String, Object> further = new LinkedHashMap<>();
    List<Variant> variants =
        List.of(
            variant("plain", plain, scale, WarehouseLocations.single(), false, further),
            variant("cluster", cluster, scale, locations, false, further));
    Measurements measured = new Interleaving(variants, rounds).run(System.err::println);
    Map<String, Object> parameters = parameters(scale);
    parameters.put("rounds", rounds);
    Map<String, Double> ratios = new LinkedHashMap<>();
    ratios.put("cluster_over_plain", measured.ratio("cluster", "plain"));
    return new BenchResult("tpcc", parameters, measured.rows(), ratios, further);
  }

  private Variant variant(
      String name,
      Database database,
      Scale scale,
      WarehouseLocations locations,
      boolean procedures,
      Map<String, Object> further) {
    return new Variant(
        name,
        settings.terminals(),
        round -> {
          RunResult run =
              new TpccRun(
                      database, settings.options(scale, round, procedures), locations, Journal.NONE)
                  .run((second, completed) -> {});
          Sample sample = RunReport.sample(run);
          further.put(name + "_round_" + (round + 1), RunReport.further(run));
          run.errors().forEach(error -> System.err.println("  " + name + ": " + error));
          return sample;
        });
  }

  private Map<String, Object> parameters(Scale scale) {
    Map<String, Object> parameters = settings.parameters(scale);
    parameters.put("columns", tables.columns().name().toLowerCase(Locale.ROOT));
    return parameters;
  }
}
