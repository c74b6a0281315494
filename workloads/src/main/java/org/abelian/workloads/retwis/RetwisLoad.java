package org.abelian.workloads.retwis;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.abelian.workloads.database.CopyInto;
import org.abelian.workloads.workload.Columns;

/** The rows at the start. Users and their first posts are numbered from 1. */
final class RetwisLoad {
  private final Connection connection;
  private final KroneckerGraph graph;
  private final Columns columns;
  private final List<List<Integer>> followed = new ArrayList<>();

  RetwisLoad(Connection connection, KroneckerGraph graph, Columns columns) {
    this.connection = connection;
    this.graph = graph;
    this.columns = columns;
    for (int user = 0; user < graph.users(); user++) {
      followed.add(new ArrayList<>());
    }
    for (int user = 0; user < graph.users(); user++) {
      for (int follower : graph.followers(user)) {
        followed.get(follower).add(user);
      }
    }
  }

  /** Fills one row of a table. */
  @FunctionalInterface
  private interface Row {
    Object[] of(int user);
  }

  void load() throws SQLException {
    copy(
        "users",
        user ->
            new Object[] {
              user + 1, "user" + user, graph.followers(user).length, followed.get(user).size(), 1
            });
    follows();
    copy("timelines", user -> new Object[] {user + 1, timeline(followed.get(user))});
    copy("posts", user -> new Object[] {user + 1, user + 1, "the first post", 0});
  }

  private void copy(String table, Row row) throws SQLException {
    try (CopyInto copy = new CopyInto(connection, table)) {
      for (int user = 0; user < graph.users(); user++) {
        copy.row(row.of(user));
      }
      copy.finish();
    }
  }

  private void follows() throws SQLException {
    try (CopyInto copy = new CopyInto(connection, "follows")) {
      for (int user = 0; user < graph.users(); user++) {
        for (int follower : graph.followers(user)) {
          copy.row(user + 1, follower + 1);
        }
      }
      copy.finish();
    }
  }

  /**
   * The newest posts of those who are followed, as text of the column's type.
   *
   * @param authors in ascending order, each of one post
   */
  private String timeline(List<Integer> authors) {
    List<Integer> newest = new ArrayList<>();
    for (int i = authors.size(); i > 0 && newest.size() < RetwisTables.KEPT; i--) {
      newest.add(authors.get(i - 1) + 1);
    }
    if (columns == Columns.PLAIN) {
      return newest.stream().map(String::valueOf).collect(Collectors.joining(",", "{", "}"));
    }
    return newest.stream()
        .map(post -> "{\"score\": %1$d, \"item\": \"%1$d\"}".formatted(post))
        .collect(
            Collectors.joining(", ", "{\"k\": %d, \"top\": [".formatted(RetwisTables.KEPT), "]}"));
  }
}
