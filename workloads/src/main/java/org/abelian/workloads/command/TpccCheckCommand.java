package org.abelian.workloads.command;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.measure.BenchResult;
import org.abelian.workloads.measure.ResultFile;
import org.abelian.workloads.tpcc.check.Condition;
import org.abelian.workloads.tpcc.check.ConsistencyCheck;
import org.abelian.workloads.tpcc.check.JournalCheck;
import org.abelian.workloads.tpcc.check.JournalFindings;
import org.abelian.workloads.tpcc.check.Violations;
import org.abelian.workloads.tpcc.journal.JournalReader;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Checks the consistency conditions, and journals where given. */
@Command(
    name = "check",
    mixinStandardHelpOptions = true,
    description =
        "Checks the consistency conditions of TPC-C on a database at rest, and that it holds what"
            + " journals say was committed. Exit status 1 tells of a violation.")
final class TpccCheckCommand implements Callable<Integer> {
  @Mixin private Connect connect = new Connect();

  @Option(names = "--journal", paramLabel = "FILE", description = "repeatable")
  private List<Path> journals = new ArrayList<>();

  @Option(names = "--warehouses", description = "how many there must be; default: any number")
  private Integer warehouses;

  @Option(names = "--json", paramLabel = "FILE", description = "write the findings there, too")
  private Path json;

  @Override
  public Integer call() throws Exception {
    Database database = connect.database();
    ConsistencyCheck check = new ConsistencyCheck(database);
    Map<Condition, Violations> findings = warehouses == null ? check.run() : check.run(warehouses);
    RunReport.printFindings(findings, System.out);
    boolean holds = ConsistencyCheck.holds(findings);
    if (json != null) {
      ResultFile.write(
          new BenchResult(
              "tpcc check",
              Map.of(),
              List.of(),
              Map.of(),
              Map.of("consistency", RunReport.findings(findings))),
          json);
    }
    if (!journals.isEmpty()) {
      JournalFindings journal = new JournalCheck(database).run(JournalReader.read(journals));
      print("acknowledged commits are there, once", journal.acknowledged());
      print("reported rollbacks are not there", journal.rolledBack());
      print("undecided attempts are there at most once", journal.undecided());
      holds &= journal.holds();
    }
    return holds ? 0 : 1;
  }

  private static void print(String claim, Violations violations) {
    System.out.printf(
        "%-14s %s (%,d checked)%n",
        violations.count() == 0 ? "holds" : "VIOLATED", claim, violations.checked());
    violations.examples().forEach(example -> System.out.println("       " + example));
  }
}
