package org.abelian.workloads.retwis;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.abelian.workloads.random.Permutation;

/**
 * Who follows whom: the Kronecker generator of the Graph 500 benchmark, with its probabilities.
 * Nobody follows himself, nor anybody twice; so there are somewhat fewer edges than asked for.
 */
final class KroneckerGraph {
  private static final double A = 0.57;
  private static final double B = 0.19;
  private static final double C = 0.19;

  private final int[][] followers;

  private KroneckerGraph(int[][] followers) {
    this.followers = followers;
  }

  /**
   * Draws a graph.
   *
   * @param scale of {@code 2^scale} users
   * @param edgeFactor edges for each user, on average
   */
  static KroneckerGraph draw(int scale, int edgeFactor, long seed) {
    int users = 1 << scale;
    SplittableRandom random = new SplittableRandom(seed);
    int[] label = Permutation.draw(users, random);
    long[] edges = new long[users * edgeFactor];
    for (int i = 0; i < edges.length; i++) {
      edges[i] = edge(scale, label, random);
    }
    long[] different = Arrays.stream(edges).sorted().distinct().toArray();
    return new KroneckerGraph(byFollowed(users, different));
  }

  /** Who is followed in the upper half, the follower in the lower one. */
  private static long edge(int scale, int[] label, SplittableRandom random) {
    int followed = 0;
    int follower = 0;
    for (int bit = 0; bit < scale; bit++) {
      double draw = random.nextDouble();
      boolean down = draw >= A + B;
      boolean right = draw >= A && draw < A + B || draw >= A + B + C;
      followed = followed << 1 | (down ? 1 : 0);
      follower = follower << 1 | (right ? 1 : 0);
    }
    return (long) label[followed] << Integer.SIZE | label[follower];
  }

  /** In the order of the followers' numbers, as the edges are. */
  private static int[][] byFollowed(int users, long[] edges) {
    int[][] followers = new int[users][];
    int next = 0;
    for (int user = 0; user < users; user++) {
      int first = next;
      while (next < edges.length && (int) (edges[next] >>> Integer.SIZE) == user) {
        next++;
      }
      int self = user;
      followers[user] =
          Arrays.stream(edges, first, next)
              .mapToInt(edge -> (int) edge)
              .filter(follower -> follower != self)
              .toArray();
    }
    return followers;
  }

  int users() {
    return followers.length;
  }

  /** The followers of a user, in ascending order. Users are numbered from 0. */
  int[] followers(int user) {
    return followers[user];
  }
}
