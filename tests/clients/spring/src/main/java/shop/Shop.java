package shop;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Transactions, of which the last fails after it has written to several nodes. */
@Service
class Shop {
  private final Articles articles;

  Shop(Articles articles) {
    this.articles = articles;
  }

  @Transactional
  public int sellAll(int count, int amount) {
    int changed = 0;
    for (long id = 0; id < count; id++) {
      changed += articles.sell(id, amount);
    }
    return changed;
  }

  @Transactional
  public void rename(long id, String title) {
    articles.findById(id).orElseThrow().rename(title);
  }

  @Transactional
  public void sellAndFail(int count) {
    sellAll(count, 1_000);
    throw new IllegalStateException("not sold");
  }
}
