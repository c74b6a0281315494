package org.abelian.advisor.trace.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class LoggedStatementTest {
  private static LoggedStatement of(String message, String detail) {
    return LoggedStatement.of(new LogEntry("s", "3/1", "LOG", message, detail));
  }

  @Test
  void readsStatements() {
    assertEquals("SELECT 1", of("statement: SELECT 1", null).text());
    assertEquals("SELECT\n 1", of("duration: 0.123 ms  statement: SELECT\n 1", null).text());
    assertEquals("SELECT 1", of("duration: 12.000 ms  execute <unnamed>: SELECT 1", null).text());
    assertEquals("SELECT ': '", of("execute S_1/C_2: SELECT ': '", null).text());
  }

  @Test
  void leavesOutWhatExecutesNothingNew() {
    assertNull(of("duration: 0.1 ms  parse S_1: SELECT 1", null));
    assertNull(of("duration: 0.1 ms  bind S_1: SELECT 1", null));
    assertNull(of("duration: 0.1 ms  execute fetch from S_1/C_1: SELECT 1", null));
    assertNull(of("duration: 0.1 ms", null));
  }

  @Test
  void readsParameters() {
    assertEquals(
        Arrays.asList("5", null, "it's, $4 = '1'", ""),
        of("execute a: b", "parameters: $1 = '5', $2 = NULL, $3 = 'it''s, $4 = ''1''', $4 = ''")
            .parameters());
    assertEquals(List.of("x"), of("execute a: b", "Parameters: $1 = 'x'").parameters());
    assertEquals(List.of(), of("execute a: b", null).parameters());
  }

  @Test
  void readsArrays() {
    assertEquals(List.of("1", "2"), ArrayElements.of("{1,NULL,2}"));
    assertEquals(
        List.of("a,b", "c\"d", "NULL", ""), ArrayElements.of("{\"a,b\",\"c\\\"d\",\"NULL\",\"\"}"));
    assertEquals(List.of(), ArrayElements.of("{}"));
    assertEquals(List.of(), ArrayElements.of(null));
  }
}
