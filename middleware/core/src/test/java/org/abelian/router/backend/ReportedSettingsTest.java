package org.abelian.router.backend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.abelian.router.session.IntentText;
import org.junit.jupiter.api.Test;

class ReportedSettingsTest {
  private static ReportedSettings of(String... lines) {
    return ReportedSettings.of(lines.length == 0 ? "" : String.join("\n", lines) + "\n");
  }

  @Test
  void valuesAreReadWithTheirEscapes() {
    ReportedSettings settings = of("a.b=x=y", "a.c=one\\\ntwo\\\\", "a.d", "a.e=");
    assertEquals("x=y", settings.value("a.b"));
    assertEquals("one\ntwo\\", settings.value("a.c"));
    assertNull(settings.value("a.d"));
    assertTrue(settings.values().containsKey("a.d"));
    assertEquals("", settings.value("a.e"));
  }

  @Test
  void aSettingThatIsGoneGetsItsDefault() {
    assertEquals(
        "SELECT pg_catalog.set_config('work_mem',NULL,false);", of("work_mem=64").changeTo(of()));
    assertEquals(
        "SELECT pg_catalog.set_config('default_transaction_isolation','read committed',false);",
        of("default_transaction_isolation=serializable").changeTo(of()));
  }

  @Test
  void aParameterWithoutValueIsMade() {
    assertEquals(
        "SELECT pg_catalog.set_config('app.x','',false),pg_catalog.set_config('app.x',NULL,false);",
        of().changeTo(of("app.x")));
  }

  @Test
  void othersAreSetBeforeTheRoleIsTaken() {
    String sql = of("role=one").changeTo(of("a.b=it's", "role=two"));
    assertEquals(
        "RESET ROLE;SELECT pg_catalog.set_config('a.b','it''s',false);"
            + "SELECT pg_catalog.set_config('role','two',false);",
        sql);
    assertEquals("", of("role=one").changeTo(of("role=one")));
    assertEquals("RESET ROLE;", of("role=one").changeTo(of()));
  }

  @Test
  void theRoleComesBackAfterTheSessionsAuthorization() {
    String sql =
        of("session_authorization=app").changeTo(of("role=reader", "session_authorization=writer"));
    assertEquals(
        "RESET SESSION AUTHORIZATION;"
            + "SELECT pg_catalog.set_config('session_authorization','writer',false);"
            + "SELECT pg_catalog.set_config('role','reader',false);",
        sql);
  }

  @Test
  void aTransactionGetsWhatHasChanged() {
    ReportedSettings before = of("a.b=1", "role=one");
    ReportedSettings now = of("a.b=2", "work_mem=64");
    assertEquals(
        "SELECT pg_catalog.set_config('a.b','2',true),pg_catalog.set_config('work_mem','64',true),"
            + "pg_catalog.set_config('role','none',true)",
        now.changesSince(before));
    assertEquals(List.of("a.b", "work_mem", "role"), now.namesChangedSince(before));
    assertEquals("", now.changesSince(now));
  }

  @Test
  void aBackslashMeansItselfWhateverTheSessionSays() {
    assertEquals(
        "SELECT pg_catalog.set_config('a.b', E'\\\\',false);", of().changeTo(of("a.b=\\\\")));
  }

  @Test
  void namesThatSessionsMadeUpAreToldApart() {
    assertTrue(of("app.x").hasMoreNames(of(), of()));
    assertTrue(of("app.x=1").hasMoreNames(of("app.y=1"), of()));
    assertFalse(of("app.x=1").hasMoreNames(of("app.x"), of()));
    assertFalse(of("app.x=1").hasMoreNames(of(), of("app.x=1")));
    assertFalse(of("work_mem=1", "abelian.commit_notice=on").hasMoreNames(of(), of()));
  }

  @Test
  void theSettingsOfACallAreTextsThatSetThem() {
    assertEquals(
        Optional.of("SET LOCAL search_path = '$user', 'a b', 'c'; SET LOCAL x.y = '1'; "),
        IntentText.settings(
            of("search_path=\"$user\", \"a b\",c", "session_authorization=app", "x.y=1")));
    assertEquals(Optional.empty(), IntentText.settings(of("role=one")));
    assertEquals(Optional.empty(), IntentText.settings(of("search_path=")));
  }
}
