package org.abelian.router.session;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.abelian.router.backend.ReportedSettings;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.routing.ParameterText;
import org.abelian.router.transaction.independent.Fragment;
import org.abelian.router.transaction.independent.IndependentTransaction;

/**
 * A call with its arguments as one text, and the settings under which it runs, so that any router
 * can run it again on any node.
 */
public final class IntentText {
  /** Types whose text form reads the same everywhere, by OID. */
  private static final Map<Integer, String> TYPES =
      Map.ofEntries(
          Map.entry(16, "bool"),
          Map.entry(20, "int8"),
          Map.entry(21, "int2"),
          Map.entry(23, "int4"),
          Map.entry(25, "text"),
          Map.entry(700, "float4"),
          Map.entry(701, "float8"),
          Map.entry(1000, "bool[]"),
          Map.entry(1005, "int2[]"),
          Map.entry(1007, "int4[]"),
          Map.entry(1009, "text[]"),
          Map.entry(1015, "varchar[]"),
          Map.entry(1016, "int8[]"),
          Map.entry(1022, "float8[]"),
          Map.entry(1042, "bpchar"),
          Map.entry(1043, "varchar"),
          Map.entry(1082, "date"),
          Map.entry(1114, "timestamp"),
          Map.entry(1184, "timestamptz"),
          Map.entry(1231, "numeric[]"),
          Map.entry(1700, "numeric"),
          Map.entry(2950, "uuid"),
          Map.entry(3802, "jsonb"));

  /** Parts of a text in which a dollar sign is no parameter, or a parameter. */
  private static final Pattern PART =
      Pattern.compile("'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\\n]*|\\$(\\d+)", Pattern.DOTALL);

  /** Other kinds of quotes than those that {@link #PART} knows. */
  private static final Pattern OTHER_QUOTES =
      Pattern.compile("\\$[a-z_]*\\$|\\be'", Pattern.CASE_INSENSITIVE);

  /** Settings whose values are lists of names, as PostgreSQL keeps them. */
  private static final Set<String> LISTS =
      Set.of(
          "search_path",
          "temp_tablespaces",
          "local_preload_libraries",
          "session_preload_libraries");

  private static final Pattern LIST_ELEMENT =
      Pattern.compile("\\s*(?:\"((?:[^\"]|\"\")*)\"|([^\\s,\"]+))\\s*(?:,|$)");

  private static final String DAY = "[1-9]\\d{3}-\\d\\d-\\d\\d";
  private static final String TIME = "[ T]\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,6})?";
  private static final String ZONE = " ?[+-]\\d\\d(?::?\\d\\d)?";

  /**
   * Types whose texts mean other values under other settings, and their texts that do not. A zone
   * is ignored where the type has none.
   */
  private static final Map<Integer, Pattern> UNAMBIGUOUS =
      Map.of(
          1082, Pattern.compile(DAY + "(?:" + ZONE + ")?"),
          1114, Pattern.compile(DAY + TIME + "(?:" + ZONE + ")?"),
          1184, Pattern.compile(DAY + TIME + ZONE));

  /** What PostgreSQL counts days and microseconds from. */
  private static final LocalDateTime EPOCH = LocalDateTime.of(2000, 1, 1, 0, 0);

  private static final DateTimeFormatter ISO =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSS", Locale.ROOT);

  private IntentText() {}

  /** The call with its arguments; empty when one of them cannot be written as text. */
  public static Optional<String> of(String sql, List<Integer> types, BindMessage bind) {
    String text = sql.strip();
    if (text.contains("/*") || OTHER_QUOTES.matcher(text).find()) {
      return Optional.empty();
    }
    StringBuilder result = new StringBuilder();
    Matcher part = PART.matcher(text);
    int from = 0;
    while (part.find()) {
      if (part.group(1) != null) {
        int number = Integer.parseInt(part.group(1));
        Optional<String> literal = literal(number - 1, types, bind);
        if (literal.isEmpty()) {
          return Optional.empty();
        }
        result.append(text, from, part.start()).append(literal.get());
        from = part.end();
      }
    }
    return Optional.of(result.append(text.substring(from)).toString());
  }

  /** Whether {@link #named} leaves no doubt where the call begins and what is called. */
  public static boolean canName(String signature, String call) {
    return signature.indexOf('\n') < 0 && !call.contains(Fragment.CALL_MARK);
  }

  /** Says before the call which procedure it calls, as a comment. */
  public static String named(String signature, String call) {
    return Fragment.CALL_MARK + signature + "\n" + call;
  }

  private static Optional<String> literal(int index, List<Integer> types, BindMessage bind) {
    if (index >= bind.parameterCount() || index >= types.size()) {
      return Optional.empty();
    }
    int oid = types.get(index);
    String type = TYPES.get(oid);
    if (type == null) {
      return Optional.empty();
    }
    int length = bind.length(index);
    if (length < 0) {
      return Optional.of("NULL::" + type);
    }
    ByteBuffer bytes = ByteBuffer.wrap(bind.array(), bind.offset(index), length);
    Optional<String> value =
        bind.isBinary(index) ? binary(oid, bytes) : Optional.of(characters(bytes));
    return value.map(known -> IndependentTransaction.quote(known) + "::" + type);
  }

  /** An argument as text that reads the same under all settings; empty when NULL, or unknown. */
  public static Optional<String> plain(int index, List<Integer> types, BindMessage bind) {
    if (index >= bind.parameterCount() || bind.length(index) < 0) {
      return Optional.empty();
    }
    int oid = types.get(index);
    ByteBuffer bytes = ByteBuffer.wrap(bind.array(), bind.offset(index), bind.length(index));
    if (!TYPES.containsKey(oid)) {
      return Optional.empty();
    } else if (bind.isBinary(index)) {
      return binary(oid, bytes);
    }
    String text = characters(bytes);
    return isUnambiguous(oid, text) ? Optional.of(text) : Optional.empty();
  }

  /** Whether the text of a value of that type reads the same under all settings. */
  public static boolean isUnambiguous(int oid, String text) {
    Pattern unambiguous = UNAMBIGUOUS.get(oid);
    return unambiguous == null || unambiguous.matcher(text).matches();
  }

  private static String characters(ByteBuffer bytes) {
    return StandardCharsets.UTF_8.decode(bytes).toString();
  }

  private static Optional<String> binary(int oid, ByteBuffer bytes) {
    return switch (oid) {
      case 1000, 1005, 1007, 1009, 1015, 1016, 1022, 1231 -> array(bytes);
      case 1082 -> moment(EPOCH.plusDays(bytes.getInt())).map(day -> day.substring(0, 10));
      case 1114 -> moment(bytes.getLong());
      case 1184 -> moment(bytes.getLong()).map(utc -> utc + "+00");
      default -> {
        int offset = bytes.arrayOffset() + bytes.position();
        yield Optional.ofNullable(
            ParameterText.of(oid, true, bytes.array(), offset, bytes.remaining()));
      }
    };
  }

  private static Optional<String> moment(long microseconds) {
    boolean infinite = microseconds == Long.MAX_VALUE || microseconds == Long.MIN_VALUE;
    return infinite ? Optional.empty() : moment(EPOCH.plus(microseconds, ChronoUnit.MICROS));
  }

  /** As ISO 8601, which reads the same under every DateStyle while the year has four digits. */
  private static Optional<String> moment(LocalDateTime time) {
    boolean fourDigits = time.getYear() >= 1000 && time.getYear() <= 9999;
    return fourDigits ? Optional.of(ISO.format(time)) : Optional.empty();
  }

  /** The text form of an array in binary form; empty unless it is an ordinary list. */
  private static Optional<String> array(ByteBuffer bytes) {
    int dimensions = bytes.getInt();
    bytes.getInt(); // whether there are NULLs: the elements say it
    int element = bytes.getInt();
    if (dimensions == 0) {
      return Optional.of("{}");
    }
    int count = bytes.getInt();
    if (dimensions > 1 || bytes.getInt() != 1) {
      return Optional.empty();
    }
    StringJoiner list = new StringJoiner(",", "{", "}");
    for (int i = 0; i < count; i++) {
      int length = bytes.getInt();
      if (length < 0) {
        list.add("NULL");
        continue;
      }
      Optional<String> value = binary(element, bytes.slice(bytes.position(), length));
      if (value.isEmpty()) {
        return Optional.empty();
      }
      bytes.position(bytes.position() + length);
      list.add('"' + value.get().replace("\\", "\\\\").replace("\"", "\\\"") + '"');
    }
    return Optional.of(list.toString());
  }

  /**
   * The statements that bring a node's transaction to the session's settings; empty when one cannot
   * be made local to a transaction.
   */
  public static Optional<String> settings(ReportedSettings settings) {
    StringBuilder text = new StringBuilder();
    for (Map.Entry<String, String> setting : settings.values().entrySet()) {
      String name = setting.getKey();
      String value = setting.getValue();
      if (value == null || name.equals("session_authorization")) {
        continue; // Who calls is told beside.
      }
      String literal = LISTS.contains(name) ? list(value) : IndependentTransaction.quote(value);
      if (name.equals("role") || literal.isEmpty() || value.contains(Fragment.CALL_MARK)) {
        return Optional.empty();
      }
      text.append("SET LOCAL ").append(name).append(" = ").append(literal).append("; ");
    }
    return Optional.of(text.toString());
  }

  /** A list of names as literals; empty when it is none. */
  private static String list(String value) {
    StringJoiner literals = new StringJoiner(", ");
    Matcher element = LIST_ELEMENT.matcher(value);
    int end = 0;
    while (end < value.length() && element.find(end) && element.start() == end) {
      String quoted = element.group(1);
      literals.add(
          IndependentTransaction.quote(
              quoted == null ? element.group(2) : quoted.replace("\"\"", "\"")));
      end = element.end();
    }
    return end == value.length() ? literals.toString() : "";
  }
}
