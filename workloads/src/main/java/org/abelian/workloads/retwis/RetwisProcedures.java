package org.abelian.workloads.retwis;

import java.util.List;
import org.abelian.workloads.workload.Columns;
import org.abelian.workloads.workload.Procedure;

/**
 * The transactions of several statements as procedures. Who follows an author is read before the
 * call and is its argument: it decides which nodes take part.
 */
record RetwisProcedures(Columns columns) {
  /** Rows are locked in the order of their keys. */
  private static final String DELIVER_PLAIN =
      """
      WITH locked AS (
        SELECT owner FROM timelines WHERE owner = ANY (followers) ORDER BY owner FOR UPDATE)
      UPDATE timelines t SET posts = (array_prepend(post, t.posts))[1:%d]
        FROM locked WHERE t.owner = locked.owner\
      """
          .formatted(RetwisTables.KEPT);

  private static final String DELIVER =
      """
      UPDATE timelines SET posts = abelian.add(posts, %s::numeric, post::text)
       WHERE owner = ANY (followers)\
      """;

  List<Procedure> all() {
    return List.of(
        new Procedure(
            "post_to(bigint, bigint, bigint[])",
            """
            CREATE PROCEDURE post_to(writer bigint, post bigint, followers bigint[])
            LANGUAGE plpgsql AS $$
            BEGIN
              INSERT INTO posts (id, author, body, reposts) VALUES (post, writer, 'a post', 0);
              UPDATE users SET posts = posts + 1 WHERE id = writer;
              %s;
            END $$\
            """
                .formatted(deliver("post")),
            "writer, post, followers",
            "users"),
        new Procedure(
            "repost_to(bigint, bigint, bigint, bigint[])",
            """
            CREATE PROCEDURE repost_to(who bigint, post bigint, place bigint, followers bigint[])
            LANGUAGE plpgsql AS $$
            BEGIN
              UPDATE posts SET reposts = reposts + 1 WHERE id = post;
              INSERT INTO reposts (post, reposter) VALUES (post, who);
              %s;
            END $$\
            """
                .formatted(deliver("place")),
            "post, followers",
            "users"),
        new Procedure(
            "follow(bigint, bigint)",
            """
            CREATE FUNCTION follow(target bigint, who bigint) RETURNS boolean
            LANGUAGE plpgsql AS $$
            BEGIN
              INSERT INTO follows (followed, follower) VALUES (target, who)
              ON CONFLICT DO NOTHING;
              IF FOUND THEN
                UPDATE users SET followers = followers + 1 WHERE id = target;
                RETURN true;
              END IF;
              RETURN false;
            END $$\
            """,
            "target",
            "users"),
        new Procedure(
            "new_user(bigint)",
            """
            CREATE PROCEDURE new_user(number bigint) LANGUAGE plpgsql AS $$
            BEGIN
              INSERT INTO users (id, name, followers, following, posts)
              VALUES (number, 'a user', 0, 0, 0);
              INSERT INTO timelines (owner, posts) VALUES (number, %s);
            END $$\
            """
                .formatted(RetwisTransactions.noPosts(columns)),
            "number",
            "users"));
  }

  private String deliver(String order) {
    return columns == Columns.PLAIN ? DELIVER_PLAIN : DELIVER.formatted(order);
  }
}
