package org.abelian.advisor.partitioning;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.StringTokenizer;

/**
 * Cuts into many small parts, and puts those together again that the heaviest edges join. Where a
 * graph consists of as many dense clusters as there are to be parts, as a database of tenants does,
 * a direct cut often halves one cluster to fill two parts; pieces of one cluster find each other.
 *
 * @param small cuts into the pieces
 * @param graph the file in METIS's format
 * @param imbalance how much heavier than the mean a part may be, in thousandths
 */
record Merging(Partitioner small, Path graph, int imbalance) implements Partitioner {
  private static final int PIECES = 8;
  private static final int PASSES = 20;

  /** Parts above which pieces would be too many to compare each with each. */
  static final int MOST_PARTS = 64;

  @Override
  public Cut cut(int parts, int seed, Path scratch) {
    Cut cut = small.cut(PIECES * parts, seed, scratch);
    try {
      int[] pieceOf =
          Files.readAllLines(cut.partOf()).stream()
              .mapToInt(line -> Integer.parseInt(line.trim()))
              .toArray();
      Pieces pieces = new Pieces(PIECES * parts);
      pieces.read(graph, pieceOf);
      int[] partOfPiece = pieces.merge(parts, imbalance);
      Path merged = scratch.resolve("graph-" + seed + ".merged");
      Files.write(
          merged, Arrays.stream(pieceOf).mapToObj(piece -> "" + partOfPiece[piece]).toList());
      return new Cut(seed, pieces.weight(partOfPiece), merged);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Pieces, how heavy they are, and how heavily any two are joined. */
  private static final class Pieces {
    private final int count;
    private final long[] weight;
    private final long[][] joined;

    Pieces(int count) {
      this.count = count;
      weight = new long[count];
      joined = new long[count][count];
    }

    void read(Path graph, int[] pieceOf) throws IOException {
      try (BufferedReader lines = Files.newBufferedReader(graph)) {
        lines.readLine();
        for (int piece : pieceOf) {
          StringTokenizer words = new StringTokenizer(lines.readLine());
          weight[piece] += Long.parseLong(words.nextToken());
          while (words.hasMoreTokens()) {
            int other = pieceOf[Integer.parseInt(words.nextToken()) - 1];
            joined[piece][other] += Long.parseLong(words.nextToken());
          }
        }
      }
    }

    /** The weight of the edges between pieces in different parts. */
    long weight(int[] part) {
      long weight = 0;
      for (int a = 0; a < count; a++) {
        for (int b = a + 1; b < count; b++) {
          weight += part[a] == part[b] ? 0 : joined[a][b];
        }
      }
      return weight;
    }

    int[] merge(int parts, int imbalance) {
      long most = Arrays.stream(weight).sum() * (1000 + imbalance) / 1000 / parts;
      int[] part = new int[count];
      Arrays.setAll(part, i -> i);
      long[] heavy = weight.clone();
      long[][] between = Arrays.stream(joined).map(long[]::clone).toArray(long[][]::new);
      boolean[] gone = new boolean[count];
      for (int left = count; left > parts; left--) {
        int[] pair = next(heavy, between, gone, most);
        absorb(pair[0], pair[1], part, heavy, between, gone);
      }
      int[] number = new int[count];
      int next = 0;
      for (int i = 0; i < count; i++) {
        number[i] = gone[i] ? -1 : next++;
      }
      Arrays.setAll(part, i -> number[part[i]]);
      improve(part, parts, most);
      return part;
    }

    /** The two that are joined most heavily of those that fit; the lightest two if none do. */
    private int[] next(long[] heavy, long[][] between, boolean[] gone, long most) {
      int[] best = null;
      int[] lightest = null;
      for (int a = 0; a < count; a++) {
        for (int b = a + 1; b < count && !gone[a]; b++) {
          if (gone[b]) {
            continue;
          }
          long both = heavy[a] + heavy[b];
          if (both <= most && (best == null || between[a][b] > between[best[0]][best[1]])) {
            best = new int[] {a, b};
          }
          if (lightest == null || both < heavy[lightest[0]] + heavy[lightest[1]]) {
            lightest = new int[] {a, b};
          }
        }
      }
      return best == null ? lightest : best;
    }

    private void absorb(
        int into, int from, int[] part, long[] heavy, long[][] between, boolean[] gone) {
      gone[from] = true;
      heavy[into] += heavy[from];
      for (int i = 0; i < count; i++) {
        between[into][i] += between[from][i];
        between[i][into] = between[into][i];
        part[i] = part[i] == from ? into : part[i];
      }
    }

    /** Moves pieces while that makes the cut lighter. */
    private void improve(int[] part, int parts, long most) {
      long[] heavy = new long[parts];
      for (int i = 0; i < count; i++) {
        heavy[part[i]] += weight[i];
      }
      boolean moved = true;
      for (int pass = 0; moved && pass < PASSES; pass++) {
        moved = false;
        for (int piece = 0; piece < count; piece++) {
          long[] to = new long[parts];
          for (int other = 0; other < count; other++) {
            to[part[other]] += other == piece ? 0 : joined[piece][other];
          }
          int best = part[piece];
          for (int target = 0; target < parts; target++) {
            if (to[target] > to[best] && heavy[target] + weight[piece] <= most) {
              best = target;
            }
          }
          if (best != part[piece]) {
            heavy[part[piece]] -= weight[piece];
            heavy[best] += weight[piece];
            part[piece] = best;
            moved = true;
          }
        }
      }
    }
  }
}
