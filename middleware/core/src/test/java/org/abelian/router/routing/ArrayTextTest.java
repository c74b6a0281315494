package org.abelian.router.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.abelian.router.error.AbelianException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ArrayTextTest {
  @Property
  void whatIsWrittenWithQuotesIsReadBack(@ForAll List<String> elements) {
    String text =
        elements.stream()
            .map(element -> "\"" + element.replace("\\", "\\\\").replace("\"", "\\\"") + "\"")
            .collect(Collectors.joining(",", "{", "}"));
    assertEquals(elements, ArrayText.elements(text));
  }

  @Test
  void everyFormOfPostgresIsRead() {
    assertEquals(Arrays.asList("1", null, "NULL"), ArrayText.elements(" {1, NULL ,\"NULL\"} "));
    assertEquals(List.of("1", "2"), ArrayText.elements("[0:1]={1,2}"));
    assertEquals(List.of("1", "2", "3", "4"), ArrayText.elements("{{1,2},{3,4}}"));
    assertEquals(List.of(), ArrayText.elements("{}"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "1", "{", "{\"a}", "{a\\b}", "{1"})
  void anythingElseIsRefused(String text) {
    assertThrows(AbelianException.class, () -> ArrayText.elements(text));
  }
}
