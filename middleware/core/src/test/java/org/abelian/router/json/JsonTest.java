package org.abelian.router.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "[]",
        "{}",
        "{\"a\": {\"b\": [1, -2147483649, 99999999999999999999, 1.5e3]}, \"c\": [true, false,"
            + " null]}",
        "{\"a\": 1, \"a\": 2}",
        "[\"\\u00e4\\\"\", \"\", [[[{\"\": []}]]]]",
        "\"alone\"",
        "7 8",
      })
  void readsWhatJacksonsMapperReads(String json) throws JsonProcessingException {
    assertEquals(new ObjectMapper().readTree(json), Json.read(json));
  }

  @Test
  void aTextWithoutValueIsMissing() throws JsonProcessingException {
    assertTrue(Json.read(" ").isMissingNode());
  }

  @ParameterizedTest
  @ValueSource(strings = {"{", "[1", "{\"a\"}", "{\"a\": ]", "[1,]", "x", "'a'", "{\"a\" 1}"})
  void refusesWhatIsNoJson(String json) {
    assertThrows(JsonProcessingException.class, () -> Json.read(json));
  }

  @Test
  void refusesWhatIsNestedTooDeep() {
    assertThrows(JsonProcessingException.class, () -> Json.read("[".repeat(100_000)));
  }

  @Test
  void namesAndStringsMayBeLong() throws JsonProcessingException {
    String text = "x".repeat(100_000);
    assertEquals(text, Json.read("{\"" + text + "\": 1}").fieldNames().next());
    assertEquals(text, Json.read("[\"" + text + "\"]").get(0).asText());
  }

  @Test
  void whatIsBegunIsWrittenAsJson() throws JsonProcessingException {
    String written = Json.object().put("a\"", 1).set("b", Json.array().add("c")).toString();
    assertEquals("{\"a\\\"\":1,\"b\":[\"c\"]}", written);
  }
}
