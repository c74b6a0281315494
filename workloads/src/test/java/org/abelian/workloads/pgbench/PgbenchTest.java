package org.abelian.workloads.pgbench;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.abelian.workloads.database.Database;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PgbenchTest {
  private static final String OUTPUT =
      """
      transaction type: script.sql
      number of transactions actually processed: 1234
      number of failed transactions: 56 (4.341%)
      latency average = 3.000 ms
      initial connection time = 20.1 ms
      tps = 412.125000 (without initial connection time)
      """;

  @TempDir Path folder;

  @Test
  void figuresComeFromPgbenchsSummary() throws IOException {
    assertEquals(new PgbenchSummary(1234, 56, 0, 412.125), PgbenchSummary.parse(OUTPUT));
  }

  @Test
  void retriesAreCounted() throws IOException {
    String output = OUTPUT + "total number of retries: 78\n";
    assertEquals(78, PgbenchSummary.parse(output).retries());
  }

  @Test
  void outputWithoutFiguresIsAnError() {
    assertThrows(IOException.class, () -> PgbenchSummary.parse("pgbench: error: no server"));
  }

  @Test
  void failedTransactionsHaveNoLatency() {
    Stream<String> lines = Stream.of("0 1 250 0 17 5", "1 1 failed 0 17 9", "0 2 300 0 17 7");
    assertArrayEquals(new long[] {250, 300}, PgbenchLog.latencies(lines));
  }

  @Test
  void percentilesAreOverTheLogsOfAllThreads() throws IOException {
    Files.writeString(folder.resolve("latency.77"), "0 1 1000 0 17 5\n0 2 2000 0 17 5\n");
    Files.writeString(folder.resolve("latency.77.1"), "1 1 3000 0 17 5\n");
    Files.writeString(folder.resolve("output"), "no log");
    PgbenchLog log = PgbenchLog.read(folder, "latency");
    assertEquals(2, log.percentileMillis(50));
    assertEquals(3, log.percentileMillis(99));
  }

  @Test
  void onlyOnePostgresqlServerCanBeMeasured() {
    Server server = Server.of(new Database("jdbc:postgresql://127.0.0.1:7000/abelian", "u", "p"));
    assertEquals(new Server("127.0.0.1", 7000, "abelian", "u", "p"), server);
    assertThrows(
        IllegalArgumentException.class,
        () -> Server.of(new Database("jdbc:abelian://h:1,h:2/abelian", "u", "p")));
  }
}
