package shop;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import jakarta.persistence.Version;

/** A row of a distributed table. */
@Entity
@Table(name = "cl_article")
class Article {
  @Id private Long id;

  @Version private Integer version;

  private String title;

  /** Of the type abelian.counter: additions are sent as such, by {@link Articles#sell}. */
  private long sales;

  protected Article() {}

  Article(long id, String title) {
    this.id = id;
    this.title = title;
  }

  long id() {
    return id;
  }

  long sales() {
    return sales;
  }

  String title() {
    return title;
  }

  void rename(String newTitle) {
    title = newTitle;
  }
}
