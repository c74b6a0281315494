package org.abelian.router.explain;

import com.fasterxml.jackson.databind.node.TextNode;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.abelian.router.execution.PlanFormat;

/**
 * Writes what the router says of a statement as PostgreSQL writes its plans in that format: maps,
 * lists, texts, numbers, and plans of nodes, which are written already.
 */
final class PlanDocument {
  private static final String STEP = "  ";

  /** A document of a node. */
  record Plan(String text) {}

  private PlanDocument() {}

  /** The whole: an EXPLAIN gives an entry for each statement, here one. */
  static String of(PlanFormat format, Map<String, Object> statement) {
    return switch (format) {
      case JSON -> json(List.of(statement), "");
      case YAML -> yaml(List.of(statement), "").stripLeading();
      case XML ->
          "<explain xmlns=\"http://www.postgresql.org/2009/explain\">\n"
              + xml("Query", statement, STEP)
              + "</explain>";
      case TEXT -> throw new IllegalArgumentException("text is no document");
    };
  }

  private static String json(Object value, String indent) {
    String inner = indent + STEP;
    if (value instanceof Map<?, ?> map) {
      return map.entrySet().stream()
          .map(entry -> inner + quoted(entry.getKey()) + ": " + json(entry.getValue(), inner))
          .collect(Collectors.joining(",\n", "{\n", "\n" + indent + "}"));
    } else if (value instanceof List<?> list && isOfMaps(list)) {
      return list.stream()
          .map(item -> inner + json(item, inner))
          .collect(Collectors.joining(",\n", "[\n", "\n" + indent + "]"));
    } else if (value instanceof List<?> list) {
      return list.stream()
          .map(item -> json(item, inner))
          .collect(Collectors.joining(", ", "[", "]"));
    } else if (value instanceof Plan plan) {
      return plan.text().replace("\n", "\n" + indent);
    }
    return value instanceof Number ? value.toString() : quoted(value);
  }

  /** In lines that begin with a line's end: what is nested stands below its name. */
  private static String yaml(Object value, String indent) {
    if (value instanceof Map<?, ?> map) {
      return map.entrySet().stream()
          .map(
              entry ->
                  "\n" + indent + entry.getKey() + ": " + yaml(entry.getValue(), indent + STEP))
          .collect(Collectors.joining());
    } else if (value instanceof List<?> list) {
      return list.stream()
          .map(item -> "\n" + indent + "- " + yaml(item, indent + STEP).stripLeading())
          .collect(Collectors.joining());
    } else if (value instanceof Plan plan) {
      return "\n" + indent + plan.text().replace("\n", "\n" + indent);
    }
    return value instanceof Number ? value.toString() : quoted(value);
  }

  private static String xml(String name, Object value, String indent) {
    String tag = name.replace(' ', '-');
    String open = indent + "<" + tag + ">";
    String close = "</" + tag + ">\n";
    if (value instanceof Map<?, ?> map) {
      return map.entrySet().stream()
          .map(entry -> xml((String) entry.getKey(), entry.getValue(), indent + STEP))
          .collect(Collectors.joining("", open + "\n", indent + close));
    } else if (value instanceof List<?> list) {
      String item = isOfMaps(list) ? name.substring(0, name.length() - 1) : "Item";
      return list.stream()
          .map(one -> xml(item, one, indent + STEP))
          .collect(Collectors.joining("", open + "\n", indent + close));
    } else if (value instanceof Plan plan) {
      return open + "\n" + plan.text() + "\n" + indent + close; // Its texts may have lines.
    }
    return open + escaped(value.toString()) + close;
  }

  private static boolean isOfMaps(List<?> list) {
    return !list.isEmpty() && list.get(0) instanceof Map;
  }

  /** Alike in JSON and YAML. */
  private static String quoted(Object text) {
    return TextNode.valueOf(text.toString()).toString();
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\r", "&#x0d;");
  }
}
