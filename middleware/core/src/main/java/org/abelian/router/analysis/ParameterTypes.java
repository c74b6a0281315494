package org.abelian.router.analysis;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.List;
import java.util.function.IntUnaryOperator;
import org.abelian.router.error.AbelianException;
import org.abelian.router.json.Json;
import org.abelian.router.protocol.ObjectNumber;

/** The types of parameters in what a node says, by other numbers than the node's own. */
public final class ParameterTypes {
  private static final List<String> LISTS =
      List.of("parameters", "inner_parameters", "combine_parameters");

  private ParameterTypes() {}

  /**
   * The same facts with each user's type by the number that is given for the node's.
   *
   * @param json what abelian.analyze() writes
   */
  public static String translated(String json, IntUnaryOperator numbers) {
    try {
      JsonNode facts = Json.read(json);
      boolean changes = false;
      for (String name : LISTS) {
        for (JsonNode parent : facts.findParents(name)) {
          changes |= parent.get(name) instanceof ArrayNode types && translate(types, numbers);
        }
      }
      return changes ? facts.toString() : json;
    } catch (JsonProcessingException notOurs) {
      throw AbelianException.internal(
          "the analysis of a statement cannot be read: " + notOurs.getMessage(), notOurs);
    }
  }

  private static boolean translate(ArrayNode types, IntUnaryOperator numbers) {
    boolean changes = false;
    for (int i = 0; i < types.size(); i++) {
      int type = (int) types.get(i).asLong();
      if (ObjectNumber.isUsers(type)) {
        types.set(i, Integer.toUnsignedLong(numbers.applyAsInt(type)));
        changes = true;
      }
    }
    return changes;
  }
}
