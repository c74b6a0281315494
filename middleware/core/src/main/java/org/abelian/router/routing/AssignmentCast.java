package org.abelian.router.routing;

import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.abelian.router.placement.KeyKind;

/** Casts that an INSERT applies to a value before it stores it in the distribution column. */
final class AssignmentCast {
  private static final Set<String> WHOLE_NUMBERS =
      Set.of("smallint", "integer", "bigint", "numeric");
  private static final Pattern WITH_MODIFIER =
      Pattern.compile("([a-z ]+)\\((\\d+)(?:,(-?\\d+))?\\)");

  private AssignmentCast() {}

  /**
   * The number of characters that are kept when the cast otherwise leaves keys as {@link KeyReader}
   * reads them; empty when it may change them in other ways.
   */
  static Optional<Integer> lengthMax(KeyKind kind, String type) {
    Matcher modifier = WITH_MODIFIER.matcher(type);
    boolean modified = modifier.matches();
    String name = modified ? modifier.group(1) : type;
    boolean rounds = modified && modifier.group(3) != null && modifier.group(3).startsWith("-");
    boolean faithful =
        switch (kind) {
          case INTEGER -> WHOLE_NUMBERS.contains(name) && !rounds;
          case TEXT -> name.equals("text") || name.equals("character varying");
          case BLANK_PADDED -> name.equals("character") || name.equals("bpchar");
          case UUID -> name.equals("uuid");
          case BOOLEAN -> name.equals("boolean");
          case DATE -> name.equals("date");
        };
    if (!faithful) {
      return Optional.empty();
    }
    boolean limited = modified && kind == KeyKind.TEXT;
    return Optional.of(limited ? Integer.parseInt(modifier.group(2)) : Integer.MAX_VALUE);
  }
}
