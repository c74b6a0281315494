package org.abelian.router.backend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class SettingsSnapshotTest {
  private static final ReportedSettings DEFAULTS = ReportedSettings.of("DateStyle=ISO, MDY\n");
  private static final ReportedSettings SET =
      ReportedSettings.of("DateStyle=German, DMY\napp.tenant=7\n");

  private static final SettingsSnapshot MINE = new SettingsSnapshot("me", 3, SET);

  private static String replay(SettingsSnapshot wanted, Object mark, ReportedSettings reported) {
    return wanted.replay(mark, reported, DEFAULTS, 7, UnaryOperator.identity());
  }

  @Test
  void aFreshConnectionGetsEverythingAndNoReset() {
    String sql = replay(MINE, null, DEFAULTS);
    assertFalse(sql.contains("RESET"));
    assertTrue(sql.contains("abelian.session='me'") && sql.contains("placement_version=3"));
    assertTrue(sql.contains("node_id=7") && sql.contains("defaults_are_current"));
    assertTrue(sql.contains("set_config('DateStyle','German, DMY',false)"));
  }

  @Test
  void aConnectionOfTheSameSessionGetsOnlyWhatIsNew() {
    assertEquals("", replay(MINE, MINE, SET));
    assertEquals(
        "SET abelian.placement_version=2147483647;"
            + "SELECT pg_catalog.set_config('app.tenant','7',false);"
            + "SET abelian.placement_version=3;",
        replay(MINE, MINE, ReportedSettings.of("DateStyle=German, DMY\napp.tenant=8\n")));
  }

  @Test
  void theSessionsLabelIsSealedWhereTheNodeWantsIt() {
    String sql = MINE.replay(null, DEFAULTS, DEFAULTS, 7, label -> label + ":seal");
    assertTrue(sql.contains("abelian.session='me:seal'"));
    sql = MINE.takeOver(0, label -> label + ":seal");
    assertTrue(sql.contains("abelian.session='me:seal'"));
  }

  @Test
  void aNewPlacementIsTold() {
    String sql = replay(new SettingsSnapshot("me", 4, SET), MINE, SET);
    assertEquals("SET abelian.placement_version=4;", sql);
  }

  @Test
  void anotherSessionsSettingsAndRoleAreUndoneFirst() {
    String sql = replay(new SettingsSnapshot("you", 3, DEFAULTS), MINE, SET);
    assertTrue(sql.startsWith("SET SESSION AUTHORIZATION DEFAULT;RESET ROLE;RESET ALL;"));
    assertFalse(sql.contains("set_config"), sql);
  }

  @Test
  void anUnknownStateIsUndoneFirst() {
    assertTrue(replay(MINE, SettingsSnapshot.UNKNOWN, SET).contains("RESET ALL"));
  }
}
