package shop;

import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.data.domain.PageRequest;
import org.springframework.data.domain.Sort;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.orm.ObjectOptimisticLockingFailureException;

/** What programs of Spring Boot do: JdbcTemplate, repositories of JPA, declared transactions, a pool of connections. */
@SpringBootApplication
class Usual implements CommandLineRunner {
  private static final int COUNT = 40;

  private final JdbcTemplate jdbc;
  private final Articles articles;
  private final Shop shop;

  Usual(JdbcTemplate jdbc, Articles articles, Shop shop) {
    this.jdbc = jdbc;
    this.articles = articles;
    this.shop = shop;
  }

  public static void main(String[] arguments) {
    SpringApplication.run(Usual.class, arguments);
  }

  @Override
  public void run(String... arguments) {
    create(!System.getenv("PLACES").isEmpty());
    for (int i = 0; i < COUNT; i++) {
      articles.save(new Article(i, (i % 2 == 0 ? "even " : "odd ") + i));
    }
    System.out.println(articles.count());
    System.out.println(shop.sellAll(COUNT, 2) + " " + articles.totalSales());
    try {
      shop.sellAndFail(COUNT);
    } catch (IllegalStateException e) {
      System.out.println(e.getMessage() + " " + articles.totalSales());
    }
    articles
        .findByTitleStartingWithOrderByIdDesc("odd 1")
        .forEach(a -> System.out.print(a.id() + ":" + a.sales() + " "));
    articles
        .findAll(PageRequest.of(1, 5, Sort.by("title")))
        .forEach(a -> System.out.print(a.title() + " "));
    System.out.println();
    changeLate();
    System.out.println(
        jdbc.queryForList("SELECT id, title, sales::bigint FROM cl_article WHERE id < 3 ORDER BY id"));
    articles.deleteAllById(java.util.List.of(1L, 2L, 3L));
    System.out.println(articles.count());
  }

  private void create(boolean places) {
    jdbc.execute("DROP TABLE IF EXISTS cl_article");
    jdbc.execute(
        "CREATE TABLE cl_article (id bigint PRIMARY KEY, version integer, title text, sales abelian.counter DEFAULT 0)");
    if (places) {
      jdbc.execute("SELECT create_distributed_table('cl_article', 'id')");
    }
  }

  /** Who has read an older version than the newest changes nothing. */
  private void changeLate() {
    Article read = articles.findById(1L).orElseThrow();
    shop.rename(1, "renamed");
    read.rename("late");
    try {
      articles.save(read);
    } catch (ObjectOptimisticLockingFailureException e) {
      System.out.println("late");
    }
  }
}
