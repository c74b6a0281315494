package org.abelian.server.backup;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class GlobalsTest {
  @Test
  void aDatabaseOfAnotherNameGetsWhatTheFirstHad() {
    Globals globals =
        new Globals(
            List.of(),
            List.of(),
            List.of(
                new Globals.Setting(null, "work_mem TO '3MB'"),
                new Globals.Setting("a\"b", "work_mem TO '4MB'")),
            List.of(
                new Globals.Grant(null, "CONNECT", false),
                new Globals.Grant("app", "CREATE", true)),
            "",
            "owner");
    assertEquals(
        List.of(
            "ALTER DATABASE \"new\" OWNER TO \"owner\"",
            "ALTER DATABASE \"new\" SET work_mem TO '3MB'",
            "ALTER ROLE \"a\"\"b\" IN DATABASE \"new\" SET work_mem TO '4MB'",
            "REVOKE ALL ON DATABASE \"new\" FROM PUBLIC",
            "GRANT CONNECT ON DATABASE \"new\" TO PUBLIC",
            "GRANT CREATE ON DATABASE \"new\" TO \"app\" WITH GRANT OPTION"),
        globals.databaseStatements("new"));
  }

  @Test
  void usualPrivilegesStayAsTheyAre() {
    Globals globals = new Globals(List.of(), List.of(), List.of(), null, "", "owner");
    assertEquals(
        List.of("ALTER DATABASE \"new\" OWNER TO \"owner\""), globals.databaseStatements("new"));
  }
}
