package org.abelian.workloads.tpcc.run;

import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.abelian.workloads.database.SqlStates;

/** How often each error was met, with one message for each SQLSTATE and place. Thread-safe. */
final class ErrorSamples {
  private static final int MAX_KINDS = 20;

  private final Map<String, Sample> samples = new LinkedHashMap<>();

  synchronized void add(String where, SQLException error) {
    String kind = SqlStates.stateOf(error) + " in " + where;
    Sample sample = samples.get(kind);
    if (sample != null) {
      sample.count++;
    } else if (samples.size() < MAX_KINDS) {
      samples.put(kind, new Sample(error.getMessage()));
    }
  }

  synchronized List<String> lines() {
    return samples.entrySet().stream()
        .map(e -> "%s (%d times): %s".formatted(e.getKey(), e.getValue().count, e.getValue().first))
        .toList();
  }

  private static final class Sample {
    private final String first;
    private long count = 1;

    Sample(String first) {
      this.first = first;
    }
  }
}
