package org.abelian.advisor.trace.log;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class SqlTextTest {
  private static void takesOut(String text, String expected, String... values) {
    assertEquals(new SqlText(expected, List.of(values)), SqlText.of(text));
  }

  @Test
  void takesNumbersAndStringsOut() {
    takesOut(
        "SELECT * FROM t WHERE a = 5 AND b = 'it''s' AND c > 1.5e3",
        "SELECT * FROM t WHERE a = $1 AND b = $2 AND c > $3",
        "5",
        "it's",
        "1.5e3");
  }

  @Test
  void takesTheSignWithTheNumber() {
    takesOut("UPDATE t SET n = n + -5, m=-1", "UPDATE t SET n = n + $1, m=$2", "-5", "-1");
    takesOut("SELECT n - 5, n -5 FROM t", "SELECT n - $1, n -$2 FROM t", "5", "5");
  }

  @Test
  void leavesWhatIsNoLiteral() {
    takesOut("SELECT a1, \"b 2\" /* 3 */ FROM t4 -- 5", "SELECT a1, \"b 2\" /* 3 */ FROM t4 -- 5");
    takesOut("SELECT $$ 1 'x' $$, $a$ 2 $a$, E'3\\''", "SELECT $$ 1 'x' $$, $a$ 2 $a$, E'3\\''");
  }

  @Test
  void leavesWhatBelongsToTheGrammar() {
    takesOut(
        "SELECT interval '1 day', 7 FROM t ORDER BY 1",
        "SELECT interval '1 day', $1 FROM t ORDER BY 1",
        "7");
  }

  @Test
  void leavesTextsThatHaveParameters() {
    takesOut("SELECT 1 WHERE a = $1", "SELECT 1 WHERE a = $1");
  }

  @Test
  void namesClassesWhateverTheNumberOfRows() {
    String one = SqlText.fingerprint("INSERT INTO t (a, b) VALUES ($1, 'x', $2)");
    assertEquals("INSERT INTO t (a, b) VALUES (?, 'x', ?)", one);
    assertEquals(
        SqlText.fingerprint("INSERT INTO t VALUES ($1, 'x', $2),\n ($3, 'x', $4);"),
        SqlText.fingerprint("INSERT INTO t VALUES ($1, 'x', $2), ($3, 'x', $4), ($5, 'x', $6)"));
    assertEquals(
        "SELECT ? FROM t WHERE a IN (?, ...)",
        SqlText.fingerprint("SELECT $1 FROM t WHERE a IN ($2, $3, $4); "));
  }

  @Test
  void splitsScripts() {
    assertEquals(
        List.of("CREATE TABLE a (b text DEFAULT ';')", "SELECT $$;$$"),
        SqlText.split("\\restrict x;y\nCREATE TABLE a (b text DEFAULT ';');\nSELECT $$;$$;\n"));
  }
}
