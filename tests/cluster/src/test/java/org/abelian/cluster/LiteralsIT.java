package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What a literal means depends on settings: sessions that send the same text under other settings
 * do not get what the router has learnt for the first one.
 */
@WithCluster
class LiteralsIT {
  private static final int DAYS = 60;

  private final LocalCluster cluster;
  private Connection american;
  private Connection european;

  LiteralsIT(LocalCluster cluster) {
    this.cluster = cluster;
  }

  /** Events by day, and each day's number of the year. */
  @BeforeEach
  void create() throws SQLException {
    american = connect("ISO, MDY", "America/New_York");
    european = connect("ISO, DMY", "Europe/Berlin");
    execute(american, "DROP TABLE IF EXISTS day, moment");
    execute(american, "CREATE TABLE day (day date PRIMARY KEY, number int)");
    execute(american, "CREATE TABLE moment (id int PRIMARY KEY, at timestamptz)");
    execute(american, "SELECT create_distributed_table('day', 'day')");
    execute(american, "SELECT create_distributed_table('moment', 'id')");
    for (int i = 0; i < DAYS; i++) {
      execute(american, "INSERT INTO day VALUES (date '2026-01-01' + " + i + ", " + (i + 1) + ")");
    }
    for (int i = 0; i < 24; i++) {
      String at = String.format("'2026-01-01 %02d:00Z'", i);
      execute(american, "INSERT INTO moment VALUES (" + i + ", " + at + ")");
    }
  }

  private Connection connect(String dates, String zone) throws SQLException {
    Connection connection = cluster.connect();
    execute(connection, "SET DateStyle = '" + dates + "'");
    execute(connection, "SET TIME ZONE '" + zone + "'");
    return connection;
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static int number(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      assertTrue(rows.next(), "no row for " + query);
      return rows.getInt(1);
    }
  }

  @AfterEach
  void close() throws SQLException {
    execute(american, "DROP TABLE day, moment");
    american.close();
    european.close();
  }

  /** The first of February, or the second of January; some keys lie on each node. */
  @Test
  void aKeyIsTheDayThatTheSessionMeans() throws SQLException {
    for (int day = 1; day <= 2; day++) {
      String other = "0" + (3 - day) + "/0" + day + "/2026";
      String read = "SELECT number FROM day WHERE day = '" + other + "'";
      assertEquals(day == 1 ? 32 : 2, number(american, read), read);
      assertEquals(day == 1 ? 2 : 32, number(european, read), read);
      assertEquals(day == 1 ? 32 : 2, number(american, read), read);
    }
  }

  @Test
  void aConditionOverSeveralNodesMeansTheSessionsDay() throws SQLException {
    String read = "SELECT sum(number) / count(*) FROM day WHERE day + 0 = '02/01/2026'";
    assertEquals(32, number(american, read));
    assertEquals(2, number(european, read));
    String grouped =
        "SELECT max(number) FROM day WHERE day + 0 = '02/01/2026' GROUP BY number % 2 ORDER BY 1";
    assertEquals(32, number(american, grouped));
    assertEquals(2, number(european, grouped));
  }

  @Test
  void aMomentIsOfTheSessionsZone() throws SQLException {
    String read =
        "SELECT max(id) FROM moment WHERE at <= '2026-01-01 06:00' GROUP BY id > 100 ORDER BY 1";
    assertEquals(11, number(american, read));
    assertEquals(5, number(european, read));
  }

  @Test
  void fewDigitsInASessionDoNotChangeItsConditions() throws SQLException {
    execute(american, "SET extra_float_digits = -10");
    String read =
        "SELECT count(*) FROM day WHERE number + 0.123456789::float8 = number + 0.123456789::float8"
            + " GROUP BY number > 100 ORDER BY 1";
    assertEquals(DAYS, number(american, read));
    String exact =
        "SELECT count(*) FROM day WHERE number * 1e-9::float8 < 30.0000001e-9::float8"
            + " GROUP BY number > 100 ORDER BY 1";
    assertEquals(30, number(american, exact));
  }
}
