package org.abelian.router.execution;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class TagSumTest {
  private static String sum(String... tags) {
    TagSum sum = new TagSum();
    for (String tag : tags) {
      sum.add(tag);
    }
    return sum.tag();
  }

  @Test
  void countsAreAddedAndCommandsKept() {
    assertEquals("UPDATE 5", sum("UPDATE 2", "UPDATE 3"));
    assertEquals("INSERT 0 3", sum("INSERT 0 1", "INSERT 0 2"));
    assertEquals("CREATE TABLE", sum("CREATE TABLE", "CREATE TABLE"));
  }

  @Test
  void theClientsCommandMayBeAnother() {
    TagSum sum = new TagSum("UPDATE");
    sum.add("INSERT 0 1");
    sum.add("INSERT 0 2");
    assertEquals("UPDATE 3", sum.tag());
  }
}
