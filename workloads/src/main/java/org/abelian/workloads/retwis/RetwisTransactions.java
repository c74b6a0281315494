package org.abelian.workloads.retwis;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.abelian.workloads.client.Session;
import org.abelian.workloads.client.Transaction.Body;
import org.abelian.workloads.workload.Columns;

/** The statements of each type of transaction. */
final class RetwisTransactions {
  private static final String NEW_POST =
      "INSERT INTO posts (id, author, body, reposts) VALUES (?, ?, 'a post', 0)";
  private static final String COUNT_POST = "UPDATE users SET posts = posts + 1 WHERE id = ?";
  private static final String FOLLOWERS =
      "SELECT follower FROM follows WHERE followed = ? ORDER BY follower";

  /** Rows are locked in the order of their keys: without that, posts of two users deadlock. */
  private static final String DELIVER_PLAIN =
      """
      WITH locked AS (
        SELECT owner FROM timelines WHERE owner = ANY (?) ORDER BY owner FOR UPDATE)
      UPDATE timelines t SET posts = (array_prepend(?::bigint, t.posts))[1:%d]
        FROM locked WHERE t.owner = locked.owner\
      """
          .formatted(RetwisTables.KEPT);

  private static final String DELIVER =
      "UPDATE timelines SET posts = abelian.add(posts, ?::numeric, ?) WHERE owner = ANY (?)";
  private static final String REPOST = "INSERT INTO reposts (post, reposter) VALUES (?, ?)";
  private static final String COUNT_REPOST = "UPDATE posts SET reposts = reposts + 1 WHERE id = ?";
  private static final String POSTS =
      "SELECT id, author, body, reposts FROM posts WHERE id = ANY (?)";
  private static final String FOLLOW =
      "INSERT INTO follows (followed, follower) VALUES (?, ?) ON CONFLICT DO NOTHING";
  private static final String COUNT_FOLLOWER =
      "UPDATE users SET followers = followers + 1 WHERE id = ?";
  private static final String COUNT_FOLLOWING =
      "UPDATE users SET following = following + 1 WHERE id = ?";
  private static final String NEW_USER =
      "INSERT INTO users (id, name, followers, following, posts) VALUES (?, 'a user', 0, 0, 0)";

  private static final String CALL_POST = "CALL post_to(?, ?, ?)";
  private static final String CALL_REPOST = "CALL repost_to(?, ?, ?, ?)";
  private static final String CALL_FOLLOW = "SELECT follow(?, ?)";
  private static final String CALL_NEW_USER = "CALL new_user(?)";

  private final Columns columns;
  private final String deliver;
  private final String timeline;
  private final String newTimeline;

  RetwisTransactions(Columns columns) {
    this.columns = columns;
    deliver = columns.choose(DELIVER_PLAIN, DELIVER);
    timeline =
        columns
            .choose(
                "SELECT unnest(posts[1:%d]) FROM timelines WHERE owner = ?",
                "SELECT e.item::bigint FROM timelines, abelian.top(posts, %d) e WHERE owner = ?")
            .formatted(RetwisTables.SHOWN);
    newTimeline = "INSERT INTO timelines (owner, posts) VALUES (?, %s)".formatted(noPosts(columns));
  }

  /** The posts of a new timeline. */
  static String noPosts(Columns columns) {
    return columns.choose("'{}'", "abelian.top_k(%d)".formatted(RetwisTables.KEPT));
  }

  /**
   * Shows a user what those have posted whom the user follows.
   *
   * @param shown gets id and number of reposts of each post
   */
  Body timeline(long user, List<long[]> shown) {
    return session -> {
      shown.clear();
      long[] ids = numbers(session.rows(timeline, user));
      if (ids.length == 0) {
        return;
      }
      for (Object[] post : session.rows(POSTS, ids)) {
        shown.add(new long[] {(Long) post[0], (Long) post[3]});
      }
    };
  }

  /** Posts, and writes to the timelines of all followers. */
  Body post(long author, long post) {
    return session -> {
      if (session.callsProcedures()) {
        session.call(CALL_POST, author, post, numbers(session.rows(FOLLOWERS, author)));
        return;
      }
      session.updateOne(NEW_POST, post, author);
      session.updateOne(COUNT_POST, author);
      deliver(session, author, post, post);
    };
  }

  /**
   * Reposts likewise.
   *
   * @param order greater than those of all posts and reposts before
   */
  Body repost(long user, long post, long order) {
    return session -> {
      if (session.callsProcedures()) {
        session.call(CALL_REPOST, user, post, order, numbers(session.rows(FOLLOWERS, user)));
        return;
      }
      session.updateOne(COUNT_REPOST, post);
      session.updateOne(REPOST, post, user);
      deliver(session, user, post, order);
    };
  }

  private void deliver(Session session, long author, long post, long order) throws SQLException {
    long[] followers = numbers(session.rows(FOLLOWERS, author));
    if (followers.length == 0) {
      return;
    }
    if (columns == Columns.PLAIN) {
      session.update(deliver, followers, post);
    } else {
      session.update(deliver, order, String.valueOf(post), followers);
    }
  }

  /** One user follows another, unless it is so already; users change in the order of their keys. */
  Body follow(long follower, long followed) {
    return session -> {
      if (session.callsProcedures()) {
        followByCalls(session, follower, followed);
      } else if (session.update(FOLLOW, followed, follower) == 1) {
        if (followed < follower) {
          session.updateOne(COUNT_FOLLOWER, followed);
          session.updateOne(COUNT_FOLLOWING, follower);
        } else {
          session.updateOne(COUNT_FOLLOWING, follower);
          session.updateOne(COUNT_FOLLOWER, followed);
        }
      }
    };
  }

  /** Whether there is somebody more to count is known where the followed user is: two steps. */
  private static void followByCalls(Session session, long follower, long followed)
      throws SQLException {
    if ((Boolean) session.row(CALL_FOLLOW, followed, follower)[0]) {
      session.updateOne(COUNT_FOLLOWING, follower);
    }
  }

  Body newUser(long id) {
    return session -> {
      if (session.callsProcedures()) {
        session.call(CALL_NEW_USER, id);
        return;
      }
      session.updateOne(NEW_USER, id);
      session.updateOne(newTimeline, id);
    };
  }

  private static long[] numbers(List<Object[]> rows) {
    List<Long> numbers = new ArrayList<>();
    rows.forEach(row -> numbers.add((Long) row[0]));
    return numbers.stream().mapToLong(Long::longValue).toArray();
  }
}
