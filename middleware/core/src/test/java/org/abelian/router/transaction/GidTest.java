package org.abelian.router.transaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.UUID;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GidTest {
  private static final int POSTGRES_GID_LENGTH_MAX = 199;

  @Property
  void aGidIsReadBackAndFitsPostgres(
      @ForAll @IntRange(min = 0, max = 999_999_999) int holder,
      @ForAll long high,
      @ForAll long low,
      @ForAll @LongRange(min = 0, max = 999_999_999_999_999_999L) long session,
      @ForAll @LongRange(min = 0, max = 999_999_999_999_999_999L) long number,
      @ForAll @Size(max = 8) List<@IntRange(min = 1, max = 999_999_999) Integer> nodes) {
    Gid gid = new Gid(holder, new SessionLabel(new UUID(high, low), session), number, nodes);
    assertEquals(Optional.of(gid), Gid.parse(gid.toString()));
    assertTrue(gid.toString().length() <= POSTGRES_GID_LENGTH_MAX);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "abelian:", "other", "abelian:1:x:2-3", "abelian:1:' OR ''=':2-3"})
  void otherPeoplesGidsAreNotOurs(String text) {
    assertEquals(Optional.empty(), Gid.parse(text));
  }

  @Test
  void noGidIsGivenTwice() {
    GidSource source = new GidSource(UUID.randomUUID());
    assertNotEquals(source.next(1, 1, List.of()), source.next(1, 1, List.of()));
    assertNotEquals(
        new GidSource(UUID.randomUUID()).next(1, 1, List.of()),
        new GidSource(UUID.randomUUID()).next(1, 1, List.of()));
  }
}
