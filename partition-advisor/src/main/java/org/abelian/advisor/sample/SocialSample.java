package org.abelian.advisor.sample;

import static org.abelian.advisor.sample.SampleTables.table;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.abelian.advisor.trace.Access;
import org.abelian.advisor.trace.TraceTable;
import org.abelian.advisor.trace.TraceWriter;

/**
 * A social network in the manner of EPinions and ReTwis: users who post, follow others, and read
 * the profiles and posts of those they follow. Users form communities, and follow mostly within
 * their own; numbers say nothing about who is in which. So no hash keeps friends together, but a
 * table of users can.
 */
public final class SocialSample implements Sample {
  private static final int COMMUNITY = 50;
  private static final int FRIENDS = 8;

  /** In a hundred friends, those from anywhere. */
  private static final int STRANGERS = 4;

  private final int users;
  private final Random random;
  private final int[] numberOf;
  private int nextPost = 1;

  /**
   * A generator.
   *
   * @param users at least two communities of 50
   */
  public SocialSample(int users, long seed) {
    this.users = users;
    this.random = new Random(seed);
    numberOf = new int[users];
    for (int i = 0; i < users; i++) {
      int other = random.nextInt(i + 1);
      numberOf[i] = numberOf[other];
      numberOf[other] = i + 1;
    }
  }

  @Override
  public List<TraceTable> tables() {
    return List.of(
        table("users", 100, 1, "id:bigint"),
        table("posts", 100, 2, "user_id:bigint", "id:bigint"),
        table("follows", 100, 2, "user_id:bigint", "other_id:bigint"));
  }

  @Override
  public void transaction(TraceWriter writer) {
    int user = random.nextInt(users);
    int dice = random.nextInt(100);
    if (dice < 70) {
      timeline(writer, user);
    } else if (dice < 85) {
      post(writer, user);
    } else {
      follow(writer, user);
    }
  }

  private void timeline(TraceWriter writer, int user) {
    List<Access> touched = new ArrayList<>();
    touched.add(Access.read(0, "public.users", Map.of("id", id(user))));
    touched.add(Access.read(1, "public.follows", Map.of("user_id", id(user))));
    for (int i = 0; i < 3; i++) {
      touched.add(Access.read(2 + i, "public.posts", Map.of("user_id", id(friend(user)))));
    }
    writer.add("Timeline", List.of(id(user)), false, touched);
  }

  private void post(TraceWriter writer, int user) {
    writer.add(
        "Post",
        List.of(id(user)),
        true,
        List.of(
            Access.write(0, "public.users", Map.of("id", id(user))),
            Access.write(1, "public.posts", Map.of("user_id", id(user), "id", "" + nextPost++))));
  }

  private void follow(TraceWriter writer, int user) {
    int other = friend(user);
    writer.add(
        "Follow",
        List.of(id(user), id(other)),
        true,
        List.of(
            Access.write(0, "public.follows", Map.of("user_id", id(user), "other_id", id(other))),
            Access.write(1, "public.users", Map.of("id", id(user))),
            Access.write(2, "public.users", Map.of("id", id(other)))
                .retyped("users.followers abelian.counter")));
  }

  /** Each user with all that is theirs. */
  @Override
  public Manual manual(int nodes) {
    return Manual.empty().hash("users", "id").hash("posts", "user_id").hash("follows", "user_id");
  }

  /** Each user has the same few friends all the time. */
  private int friend(int user) {
    int which = random.nextInt(FRIENDS);
    Random fixed = new Random(user * 31L + which);
    fixed.nextInt();
    int community = user / COMMUNITY * COMMUNITY;
    int friend =
        fixed.nextInt(100) < STRANGERS
            ? fixed.nextInt(users)
            : community + fixed.nextInt(Math.min(COMMUNITY, users - community));
    return friend == user ? (user + 1) % users : friend;
  }

  private String id(int user) {
    return "" + numberOf[user];
  }
}
