package org.abelian.advisor.sample;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.abelian.advisor.files.Engine;
import org.abelian.advisor.files.OutputFolder;
import org.abelian.advisor.trace.TraceFiles;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Traces of benchmarks, by what their specifications say. */
class SampleTest {
  private static final int COUNT = 4000;

  @TempDir Path folder;

  private TraceFiles trace(Sample sample, String name) {
    try (OutputFolder output = OutputFolder.begin(folder.resolve(name))) {
      sample.write(output, COUNT, name);
    }
    return new TraceFiles(folder.resolve(name));
  }

  private static List<String> rows(String query) {
    List<String> rows = new ArrayList<>();
    try (Engine engine = Engine.open()) {
      engine.each(query, row -> rows.add(row.getString(1)));
    }
    return rows;
  }

  @ParameterizedTest
  @EnumSource
  void drawsTheSameFromTheSameSeed(SampleKind kind) {
    String all = "SELECT accesses::VARCHAR FROM %s accesses ORDER BY tx, step";
    List<String> first =
        rows(all.formatted(Engine.parquet(trace(kind.create(2, 7), "a").accesses())));
    assertTrue(first.size() > COUNT);
    assertEquals(
        first, rows(all.formatted(Engine.parquet(trace(kind.create(2, 7), "b").accesses()))));
  }

  /** Otherwise a benchmark would compare with nothing. */
  @ParameterizedTest
  @EnumSource
  void placesByHandWhatItTouches(SampleKind kind) {
    Sample sample = kind.create(2, 7);
    TraceFiles trace = trace(sample, "trace");
    Manual manual = sample.manual(3);
    trace
        .description()
        .tables()
        .forEach(table -> assertTrue(manual.tables().containsKey(table.id()), table::id));
  }

  private void assertMix(Sample sample, Map<String, Double> expected) {
    Map<String, Double> found = new TreeMap<>();
    try (Engine engine = Engine.open()) {
      engine.each(
          "SELECT class, 100.0 * count(*) / "
              + COUNT
              + " FROM "
              + Engine.parquet(trace(sample, "trace").transactions())
              + " GROUP BY class",
          row -> found.put(row.getString(1), row.getDouble(2)));
    }
    // Three standard deviations of a share of one half.
    expected.forEach((name, share) -> assertEquals(share, found.getOrDefault(name, 0.0), 2.4));
    assertTrue(expected.keySet().containsAll(found.keySet()), found::toString);
  }

  @Test
  void mixesTpcwAsForShopping() {
    Map<String, Double> mix = new TreeMap<>();
    mix.putAll(Map.of("Home", 16.0, "NewProducts", 5.0, "BestSellers", 5.0));
    mix.putAll(Map.of("ProductDetail", 17.0, "SearchRequest", 20.0, "SearchResults", 17.0));
    mix.putAll(Map.of("ShoppingCart", 11.6, "CustomerRegistration", 3.0, "BuyRequest", 2.6));
    mix.putAll(Map.of("BuyConfirm", 1.2, "OrderInquiry", 0.75, "OrderDisplay", 0.66));
    mix.putAll(Map.of("AdminRequest", 0.1, "AdminConfirm", 0.09));
    assertMix(new TpcwSample(1, 5), mix);
  }

  @Test
  void mixesAuctionMarkAsBenchBase() {
    Map<String, Double> mix = new TreeMap<>();
    mix.putAll(Map.of("GetItem", 45.0, "GetUserInfo", 10.0, "NewBid", 20.0));
    mix.putAll(Map.of("NewComment", 2.0, "NewCommentResponse", 1.0, "NewFeedback", 4.0));
    mix.putAll(Map.of("NewItem", 10.0, "NewPurchase", 5.0, "UpdateItem", 3.0));
    assertMix(new AuctionMarkSample(1, 5), mix);
  }

  /** Half of EPinions' transactions write; all of them name what they write. */
  @Test
  void writesInHalfOfEpinions() {
    TraceFiles trace = trace(new EpinionsSample(1, 5), "trace");
    double writing =
        rows("SELECT DISTINCT tx FROM " + Engine.parquet(trace.accesses()) + " WHERE write").size();
    assertEquals(0.5, writing / COUNT, 0.024);
  }

  /** A post reaches the timeline of each follower, and is read from there. */
  @Test
  void pushesPostsOfRetwisToFollowers() {
    String accesses = Engine.parquet(trace(new RetwisSample(200, 5), "trace").accesses());
    String pushed =
        "SELECT attributes[3] FROM " + accesses + " WHERE table_name = 'public.timeline' AND write";
    String read =
        "SELECT DISTINCT attributes[2] FROM "
            + accesses
            + " WHERE table_name = 'public.posts' AND NOT write";
    long posts =
        rows("SELECT tx FROM " + accesses + " WHERE table_name = 'public.posts' AND write").size();
    assertTrue(rows(pushed).size() > 3 * posts, "posts reach others than their authors");
    assertTrue(rows(pushed).containsAll(rows(read)), "only what was pushed is read");
  }
}
