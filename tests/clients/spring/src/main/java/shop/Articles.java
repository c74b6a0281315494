package shop;

import java.util.List;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;

/** Queries of one article, of some, and of all. */
interface Articles extends JpaRepository<Article, Long> {
  List<Article> findByTitleStartingWithOrderByIdDesc(String start);

  @Modifying
  @Query("update Article a set a.sales = a.sales + :amount where a.id = :id")
  int sell(long id, int amount);

  @Query("select sum(a.sales) from Article a")
  long totalSales();
}
