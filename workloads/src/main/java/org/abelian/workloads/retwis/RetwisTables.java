package org.abelian.workloads.retwis;

import java.util.List;
import java.util.Map;
import org.abelian.workloads.workload.Columns;
import org.abelian.workloads.workload.Rule;
import org.abelian.workloads.workload.Schema;

/**
 * The tables. What belongs to a user is placed with the user, what belongs to a post with the post.
 */
record RetwisTables(Columns columns) implements Schema {
  /** Posts that a timeline keeps. */
  static final int KEPT = 50;

  /** Posts of a timeline that are shown. */
  static final int SHOWN = 10;

  @Override
  public List<String> create() {
    String count = columns.choose("bigint", "abelian.counter");
    return List.of(
        """
        CREATE TABLE users (
          id bigint PRIMARY KEY,
          name text NOT NULL,
          followers %1$s NOT NULL,
          following %1$s NOT NULL,
          posts %1$s NOT NULL)\
        """
            .formatted(count),
        """
        CREATE TABLE follows (
          followed bigint NOT NULL,
          follower bigint NOT NULL,
          PRIMARY KEY (followed, follower))\
        """,
        "CREATE TABLE timelines (owner bigint PRIMARY KEY, posts %s NOT NULL)"
            .formatted(columns.choose("bigint[]", "abelian.top_k")),
        """
        CREATE TABLE posts (
          id bigint PRIMARY KEY,
          author bigint NOT NULL,
          body text NOT NULL,
          reposts %s NOT NULL)\
        """
            .formatted(count),
        "CREATE TABLE reposts (post bigint NOT NULL, reposter bigint NOT NULL)");
  }

  @Override
  public List<String> place() {
    return List.of(
        "CALL create_distributed_table('users', 'id')",
        "CALL create_distributed_table('follows', 'followed', colocate_with => 'users')",
        "CALL create_distributed_table('timelines', 'owner', colocate_with => 'users')",
        "CALL create_distributed_table('posts', 'id')",
        "CALL create_distributed_table('reposts', 'post', colocate_with => 'posts')");
  }

  @Override
  public List<String> finish() {
    return List.of(
        "CREATE INDEX ON reposts (post)",
        "VACUUM ANALYZE users, follows, timelines, posts, reposts");
  }

  List<Rule> rules(RetwisOptions atStart, Map<String, Long> committed) {
    return List.of(
        counted(
            "a user has as many followers as follow", "users", "followers", "follows", "followed"),
        counted("a user follows as many as say so", "users", "following", "follows", "follower"),
        counted("a user has as many posts as are there", "users", "posts", "posts", "author"),
        counted("a post has as many reposts as are there", "posts", "reposts", "reposts", "post"),
        Rule.ofTransactions(
            "what a timeline shows is there",
            "SELECT count(*) FROM (%s) t WHERE NOT EXISTS (SELECT FROM posts p WHERE p.id = t.post)"
                .formatted(entries())),
        Rule.always(
            "every user has a timeline",
            "SELECT abs((SELECT count(*) FROM users) - (SELECT count(*) FROM timelines))"),
        Rule.acknowledged(RetwisType.POST.label(), "posts", atStart.users(), committed),
        Rule.acknowledged(RetwisType.REPOST.label(), "reposts", 0, committed),
        Rule.acknowledged(RetwisType.NEW_USER.label(), "users", atStart.users(), committed));
  }

  /** All posts of all timelines, in the column {@code post}. */
  private String entries() {
    return columns.choose(
        "SELECT unnest(posts) post FROM timelines",
        "SELECT e.item::bigint post FROM timelines, abelian.top(posts, %d) e".formatted(KEPT));
  }

  private static Rule counted(
      String claim, String table, String column, String rows, String reference) {
    return Rule.always(
        claim,
        """
        SELECT count(*) FROM %1$s t
          LEFT JOIN (SELECT %4$s, count(*) n FROM %3$s GROUP BY %4$s) r ON r.%4$s = t.id
         WHERE t.%2$s::bigint <> coalesce(r.n, 0)\
        """
            .formatted(table, column, rows, reference));
  }
}
