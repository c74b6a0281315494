package org.abelian.router.backend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class SettingsSnapshotTest {
  private static final SettingsSnapshot MINE = new SettingsSnapshot("me", 3, List.of("SET a = 1"));

  @Test
  void aFreshConnectionGetsEverythingAndNoReset() {
    String sql = MINE.replay(null);
    assertFalse(sql.contains("RESET"));
    assertTrue(sql.contains("abelian.session='me'") && sql.contains("placement_version=3"));
    assertTrue(sql.contains("SET a = 1"));
  }

  @Test
  void aConnectionOfTheSameSessionGetsOnlyWhatIsNew() {
    SettingsSnapshot more = new SettingsSnapshot("me", 3, List.of("SET a = 1", "SET b = 2"));
    assertEquals("SET b = 2\n;", more.replay(MINE));
    assertEquals("", MINE.replay(MINE));
  }

  @Test
  void aNewPlacementIsTold() {
    String sql = new SettingsSnapshot("me", 4, MINE.statements()).replay(MINE);
    assertTrue(sql.contains("placement_version=4"));
    assertFalse(sql.contains("RESET") || sql.contains("SET a ="));
  }

  @Test
  void anotherSessionsSettingsAndRoleAreUndoneFirst() {
    String sql = new SettingsSnapshot("you", 3, List.of()).replay(MINE);
    assertTrue(sql.startsWith("SET SESSION AUTHORIZATION DEFAULT;RESET ROLE;RESET ALL;"));
  }

  @Test
  void aSettingThatIsGoneIsUndone() {
    assertTrue(new SettingsSnapshot("me", 3, List.of()).replay(MINE).contains("RESET ALL"));
  }

  @Test
  void anUnknownStateIsUndoneFirst() {
    assertTrue(MINE.replay(SettingsSnapshot.UNKNOWN).contains("RESET ALL"));
  }
}
