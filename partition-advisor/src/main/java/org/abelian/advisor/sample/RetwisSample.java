package org.abelian.advisor.sample;

import static org.abelian.advisor.sample.SampleTables.table;
import static org.abelian.advisor.sample.Statements.texts;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.abelian.advisor.trace.TraceTable;
import org.abelian.advisor.trace.TraceWriter;

/**
 * ReTwis, the example application of Redis: a post is pushed to the timelines of all followers; who
 * looks at a timeline reads its latest posts. The mix is that of TAPIR: 5% new users, 15% follow,
 * 30% post, 50% look. The graph is drawn as for community detection (Lancichinetti, Fortunato and
 * Radicchi 2008): numbers of followees and sizes of communities by power laws, one followee of five
 * from anywhere, popular users more often than others.
 */
public final class RetwisSample implements Sample {
  private static final int LEAST_COMMUNITY = 20;
  private static final int MOST_COMMUNITY = 200;
  private static final int MOST_FOLLOWEES = 50;

  /** In a hundred followees, those from anywhere. */
  private static final int STRANGERS = 20;

  private static final int SHOWN = 10;

  /** A post by its author. */
  private record Post(int author, int number) {}

  private final Random random;
  private final Zipf followees = new Zipf(MOST_FOLLOWEES, 2);
  private final Zipf activity;
  private final int[] numberOf;
  private final int[] firstOfCommunity;
  private final int[] sizeOfCommunity;
  private final int[] popular;
  private final List<List<Integer>> followers = new ArrayList<>();
  private final List<Deque<Post>> timelines = new ArrayList<>();
  private final int users;
  private int nextPost = 1;
  private int nextUser;

  /**
   * A generator.
   *
   * @param users who are there at the beginning
   */
  public RetwisSample(int users, long seed) {
    this.users = users;
    random = new Random(seed);
    activity = new Zipf(users, 0.5);
    nextUser = users + 1;
    numberOf = shuffled();
    popular = shuffled();
    firstOfCommunity = new int[users];
    sizeOfCommunity = new int[users];
    for (int user = 0; user < users; user++) {
      followers.add(new ArrayList<>());
      timelines.add(new ArrayDeque<>());
    }
    formCommunities();
    for (int user = 0; user < users; user++) {
      TreeSet<Integer> chosen = new TreeSet<>();
      int count = 3 + followees.next(random);
      for (int tries = 0; chosen.size() < count && tries < 20 * count; tries++) {
        chosen.add(followee(user));
      }
      chosen.remove(user);
      int self = user;
      chosen.forEach(other -> followers.get(other).add(self));
    }
  }

  private int[] shuffled() {
    int[] numbers = new int[users];
    for (int i = 0; i < users; i++) {
      int other = random.nextInt(i + 1);
      numbers[i] = numbers[other];
      numbers[other] = i + 1;
    }
    return numbers;
  }

  private void formCommunities() {
    Zipf sizes = new Zipf(MOST_COMMUNITY - LEAST_COMMUNITY + 1, 1);
    int first = 0;
    while (first < users) {
      int size = Math.min(users - first, LEAST_COMMUNITY + sizes.next(random));
      for (int user = first; user < first + size; user++) {
        firstOfCommunity[user] = first;
        sizeOfCommunity[user] = size;
      }
      first += size;
    }
  }

  /** The first of a community are its popular ones. */
  private int followee(int user) {
    if (random.nextInt(100) < STRANGERS) {
      return popular[activity.next(random)] - 1;
    }
    double skewed = Math.pow(random.nextDouble(), 1.5);
    return firstOfCommunity[user] + (int) (skewed * sizeOfCommunity[user]);
  }

  @Override
  public List<TraceTable> tables() {
    return List.of(
        table("users", 60, 1, "id"),
        table("username", 30, 1, "name:text"),
        table("posts", 180, 2, "user_id", "id"),
        table("followers", 20, 2, "user_id", "other_id"),
        table("following", 20, 2, "user_id", "other_id"),
        table("timeline", 30, 3, "user_id", "author_id", "post_id"));
  }

  @Override
  public void transaction(TraceWriter writer) {
    int user = popular[activity.next(random)] - 1;
    int dice = random.nextInt(100);
    if (dice < 5) {
      int number = nextUser++;
      writer.add(
          "AddUser",
          texts(number),
          true,
          new Statements()
              .write("username", "name", "user" + number)
              .which(access -> access.deciding())
              .write("users", "id", number)
              .all());
    } else if (dice < 20) {
      follow(writer, user);
    } else if (dice < 50) {
      post(writer, user);
    } else {
      look(writer, user);
    }
  }

  private void follow(TraceWriter writer, int user) {
    int other = followee(user);
    if (other == user) {
      other = firstOfCommunity[user] + (user - firstOfCommunity[user] + 1) % sizeOfCommunity[user];
    }
    if (!followers.get(other).contains(user)) {
      followers.get(other).add(user);
    }
    writer.add(
        "Follow",
        texts(id(user), id(other)),
        true,
        new Statements()
            .write("following", "user_id", id(user), "other_id", id(other))
            .write("followers", "user_id", id(other), "other_id", id(user))
            .all());
  }

  private void post(TraceWriter writer, int user) {
    Post post = new Post(user, nextPost++);
    Statements statements =
        new Statements()
            .read("users", "id", id(user))
            .write("posts", "user_id", id(user), "id", post.number())
            .read("followers", "user_id", id(user));
    push(statements, user, post);
    followers.get(user).forEach(reader -> push(statements, reader, post));
    // Whom it is pushed to is known only when the followers are read.
    writer.add("Post", texts(id(user)), false, statements.all());
  }

  private void push(Statements statements, int reader, Post post) {
    Deque<Post> timeline = timelines.get(reader);
    timeline.addFirst(post);
    if (timeline.size() > SHOWN) {
      timeline.removeLast();
    }
    statements.write(
        "timeline",
        "user_id",
        id(reader),
        "author_id",
        id(post.author()),
        "post_id",
        post.number());
  }

  private void look(TraceWriter writer, int user) {
    Statements statements =
        new Statements().read("users", "id", id(user)).read("timeline", "user_id", id(user));
    for (Post post : timelines.get(user)) {
      statements.read("posts", "user_id", id(post.author()), "id", post.number());
    }
    writer.add("Timeline", texts(id(user)), false, statements.all());
  }

  private int id(int user) {
    return numberOf[user];
  }

  /** Each user with all that is theirs. */
  @Override
  public Manual manual(int nodes) {
    return Manual.empty()
        .hash("users", "id")
        .hash("username", "name")
        .hash("posts", "user_id")
        .hash("followers", "user_id")
        .hash("following", "user_id")
        .hash("timeline", "user_id");
  }
}
