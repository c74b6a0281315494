package org.abelian.workloads.command;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CommandsTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "hotrow",
        "micro",
        "types",
        "router",
        "connections",
        "commit",
        "combine",
        "scatter",
        "queries",
        "report",
        "tpcc",
        "tpcc load",
        "tpcc run",
        "tpcc check",
        "workload",
        "evaluate"
      })
  void everyCommandHasHelp(String command) {
    assertEquals(0, Commands.execute((command + " --help").strip().split(" ")));
  }

  @Test
  void anUnknownOptionIsRefused() {
    assertEquals(2, Commands.execute("hotrow", "--no-such-option"));
  }

  @Test
  void aDatabaseThatCannotBeReachedIsAnErrorWithoutAStackTrace() {
    assertEquals(
        2, Commands.execute("tpcc", "check", "--url", "jdbc:postgresql://127.0.0.1:1/abelian"));
  }
}
