package org.abelian.workloads.queries;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A query of a suite.
 *
 * @param number from 1
 * @param sql its text
 * @param order the columns, from 1, that its ORDER BY names
 */
record Query(int number, String sql, List<Integer> order) {
  private static final int COUNT = 22;
  private static final String ORDER = "-- ordered by ";

  /** All queries of a suite. */
  static List<Query> of(Suite suite) throws IOException {
    List<Query> queries = new ArrayList<>();
    for (int number = 1; number <= COUNT; number++) {
      queries.add(parse(number, read(suite.name(), number), suite.parameters()));
    }
    return queries;
  }

  private static String read(String suite, int number) throws IOException {
    String name = "/queries/%s-%02d.sql".formatted(suite, number);
    try (InputStream text = Query.class.getResourceAsStream(name)) {
      return new String(text.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static Query parse(int number, String text, Map<String, String> parameters) {
    List<Integer> order =
        text.lines()
            .filter(line -> line.startsWith(ORDER))
            .flatMap(line -> Stream.of(line.substring(ORDER.length()).split(" ")))
            .map(Integer::valueOf)
            .toList();
    String sql =
        text.lines().filter(line -> !line.startsWith("--")).collect(Collectors.joining("\n"));
    for (Map.Entry<String, String> parameter : parameters.entrySet()) {
      sql = sql.replace("${" + parameter.getKey() + "}", parameter.getValue());
    }
    return new Query(number, sql, order);
  }
}
