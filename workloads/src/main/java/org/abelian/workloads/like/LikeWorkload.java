package org.abelian.workloads.like;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.abelian.workloads.client.Script;
import org.abelian.workloads.client.Transaction;
import org.abelian.workloads.database.CopyInto;
import org.abelian.workloads.random.Zipf;
import org.abelian.workloads.workload.Columns;
import org.abelian.workloads.workload.Procedure;
import org.abelian.workloads.workload.Rule;
import org.abelian.workloads.workload.Workload;

/**
 * LIKE of the Doppel paper. A write adds 1 to a page's count and inserts what the user likes; a
 * read takes a page's count and the user's last like. Pages are popular by Zipf's law, users alike.
 */
public final class LikeWorkload implements Workload {
  static final String READ = "read";
  static final String WRITE = "like";
  private static final int ALL = 100;

  /** Spreads ranks over pages, so that popular pages have distant keys. */
  private static final long SPREAD = 1_000_003;

  private static final String COUNT = "UPDATE pages SET likes = likes + 1 WHERE id = ?";
  private static final String NOTE = "INSERT INTO user_likes (user_id, page) VALUES (?, ?)";
  private static final String CALL = "CALL like_page(?, ?)";
  private static final String PAGE = "SELECT likes FROM pages WHERE id = ?";
  private static final String LAST =
      "SELECT page FROM user_likes WHERE user_id = ? ORDER BY at DESC LIMIT 1";

  private final LikeOptions options;
  private final Columns columns;
  private final Zipf popularity;

  public LikeWorkload(LikeOptions options, Columns columns) {
    this.options = options;
    this.columns = columns;
    popularity = new Zipf(options.pages(), options.zipf());
  }

  @Override
  public String name() {
    return "like";
  }

  @Override
  public Columns columns() {
    return columns;
  }

  @Override
  public String description() {
    return "%,d users, %,d pages, Zipf %.2f, %d%% reads"
        .formatted(options.users(), options.pages(), options.zipf(), options.readPercent());
  }

  /** What users like has no key: nothing can refuse a row. */
  @Override
  public List<String> create() {
    return List.of(
        "CREATE TABLE pages (id integer PRIMARY KEY, likes %s NOT NULL)"
            .formatted(columns.choose("bigint", "abelian.counter")),
        """
        CREATE TABLE user_likes (
          user_id integer NOT NULL,
          page integer NOT NULL,
          at timestamptz NOT NULL DEFAULT clock_timestamp())\
        """);
  }

  @Override
  public List<String> place() {
    return List.of(
        "CALL create_distributed_table('pages', 'id')",
        "CALL create_distributed_table('user_likes', 'user_id')");
  }

  @Override
  public void fill(Connection connection, long seed) throws SQLException {
    try (CopyInto rows = new CopyInto(connection, "pages")) {
      for (int id = 1; id <= options.pages(); id++) {
        rows.row(id, 0);
      }
      rows.finish();
    }
  }

  @Override
  public List<String> finish() {
    return List.of("CREATE INDEX ON user_likes (user_id, at)", "VACUUM ANALYZE pages, user_likes");
  }

  @Override
  public List<Procedure> procedures() {
    return List.of(
        new Procedure(
            "like_page(integer, integer)",
            """
            CREATE PROCEDURE like_page(liked integer, liker integer) LANGUAGE plpgsql AS $$
            BEGIN
              UPDATE pages SET likes = likes + 1 WHERE id = liked;
              INSERT INTO user_likes (user_id, page) VALUES (liker, liked);
            END $$\
            """,
            "liked, liker",
            "pages"));
  }

  @Override
  public Script script(int client, long seed) {
    SplittableRandom random = new SplittableRandom(seed + client);
    return () -> {
      boolean reads = random.nextInt(ALL) < options.readPercent();
      int user = 1 + random.nextInt(options.users());
      int page = page(random);
      return reads ? read(user, page) : like(user, page);
    };
  }

  /** A page; the rank of its popularity is spread over the keys. */
  int page(SplittableRandom random) {
    long rank = popularity.rank(random.nextDouble());
    return (int) (rank * SPREAD % options.pages()) + 1;
  }

  private static Transaction read(int user, int page) {
    return new Transaction(
        READ,
        session -> {
          session.row(PAGE, page);
          session.rows(LAST, user);
        });
  }

  private static Transaction like(int user, int page) {
    return new Transaction(
        WRITE,
        session -> {
          if (session.callsProcedures()) {
            session.call(CALL, page, user);
            return;
          }
          session.updateOne(COUNT, page);
          session.updateOne(NOTE, user, page);
        });
  }

  @Override
  public List<Rule> rules(Map<String, Long> committed) {
    return List.of(
        Rule.always(
            "a page has as many likes as users like it",
            "SELECT count(*) FROM pages p FULL JOIN (SELECT page, count(*) n FROM user_likes GROUP"
                + " BY page) u ON u.page = p.id WHERE coalesce(p.likes::bigint, 0) <> coalesce(u.n,"
                + " 0)"),
        Rule.acknowledged(WRITE, "user_likes", 0, committed));
  }
}
