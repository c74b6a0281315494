package org.abelian.workloads.retwis;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class KroneckerGraphTest {
  private static final int SCALE = 12;

  private final KroneckerGraph graph = KroneckerGraph.draw(SCALE, 16, 2);

  private int[] counts() {
    return IntStream.range(0, graph.users()).map(user -> graph.followers(user).length).toArray();
  }

  @Test
  void aUserHasAboutAsManyFollowersAsAskedForOnAverage() {
    assertEquals(1 << SCALE, graph.users());
    double average = IntStream.of(counts()).average().orElseThrow();
    assertTrue(average > 11 && average <= 16, "seed 2: " + average);
  }

  @Test
  void nobodyFollowsHimselfOrAnybodyTwice() {
    for (int user = 0; user < graph.users(); user++) {
      int[] followers = graph.followers(user);
      for (int i = 0; i < followers.length; i++) {
        assertTrue(followers[i] != user, "seed 2, user " + user);
        assertTrue(i == 0 || followers[i - 1] < followers[i], "seed 2, user " + user);
      }
    }
  }

  /** With Poisson distributed degrees, a hundredth of the users had two hundredths of them. */
  @Test
  void fewUsersHaveMostFollowersAndManyHaveNone() {
    int[] sorted = IntStream.of(counts()).sorted().toArray();
    int all = IntStream.of(sorted).sum();
    int hundredth = graph.users() / 100;
    int top = IntStream.of(sorted).skip(graph.users() - hundredth).sum();
    assertTrue(top > 0.1 * all, "seed 2: " + top + " of " + all);
    assertTrue(sorted[graph.users() - 1] > 20 * 16, "seed 2: " + sorted[graph.users() - 1]);
    assertTrue(sorted[graph.users() / 10] == 0, "seed 2");
  }

  @Test
  void theSameSeedDrawsTheSameGraph() {
    KroneckerGraph again = KroneckerGraph.draw(SCALE, 16, 2);
    KroneckerGraph another = KroneckerGraph.draw(SCALE, 16, 3);
    int different = 0;
    for (int user = 0; user < graph.users(); user++) {
      assertArrayEquals(graph.followers(user), again.followers(user));
      different += graph.followers(user).length != another.followers(user).length ? 1 : 0;
    }
    assertTrue(different > 0);
  }
}
