package org.abelian.router.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Reads and begins trees of JSON. Jackson's ObjectMapper does so too, but loads and prepares
 * hundreds of classes for the mapping of Java objects, which the first connection would wait for.
 */
public final class Json {
  /** Names of fields may be many, long and of users' making: they are not interned. */
  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNameLength(Integer.MAX_VALUE)
                  .maxStringLength(Integer.MAX_VALUE)
                  .build())
          .build();

  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private Json() {}

  /** An object without fields, to be written by {@code toString()}. */
  public static ObjectNode object() {
    return NODES.objectNode();
  }

  /** An array without elements, to be written by {@code toString()}. */
  public static ArrayNode array() {
    return NODES.arrayNode();
  }

  /**
   * The first value of a text; a missing node when it has none.
   *
   * @throws JsonProcessingException when it is not JSON, or nested more than 1,000 deep
   */
  public static JsonNode read(String json) throws JsonProcessingException {
    try (JsonParser parser = FACTORY.createParser(json)) {
      return parser.nextToken() == null ? MissingNode.getInstance() : value(parser);
    } catch (JsonProcessingException e) {
      throw e;
    } catch (IOException e) {
      throw new UncheckedIOException(e); // A text is not read from anywhere.
    }
  }

  /** The value at whose first token the parser is. It bounds the depth. */
  private static JsonNode value(JsonParser parser) throws IOException {
    return switch (parser.currentToken()) {
      case START_OBJECT -> object(parser);
      case START_ARRAY -> array(parser);
      case VALUE_STRING -> NODES.textNode(parser.getText());
      case VALUE_NUMBER_INT -> number(parser);
      case VALUE_NUMBER_FLOAT -> NODES.numberNode(parser.getDoubleValue());
      case VALUE_TRUE -> NODES.booleanNode(true);
      case VALUE_FALSE -> NODES.booleanNode(false);
      case VALUE_NULL -> NODES.nullNode();
      default -> throw new IllegalStateException("no value: " + parser.currentToken());
    };
  }

  private static JsonNode object(JsonParser parser) throws IOException {
    ObjectNode node = NODES.objectNode();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      parser.nextToken();
      node.set(name, value(parser));
    }
    return node;
  }

  private static JsonNode array(JsonParser parser) throws IOException {
    ArrayNode node = NODES.arrayNode();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      node.add(value(parser));
    }
    return node;
  }

  private static JsonNode number(JsonParser parser) throws IOException {
    return switch (parser.getNumberType()) {
      case INT -> NODES.numberNode(parser.getIntValue());
      case LONG -> NODES.numberNode(parser.getLongValue());
      default -> NODES.numberNode(parser.getBigIntegerValue());
    };
  }
}
