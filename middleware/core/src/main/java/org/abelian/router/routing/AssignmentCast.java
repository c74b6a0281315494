package org.abelian.router.routing;

import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.abelian.router.catalog.KeyColumn;
import org.abelian.router.placement.KeyKind;

/** Casts that an INSERT applies to a value before it stores it in the distribution column. */
final class AssignmentCast {
  private static final Set<String> WHOLE_NUMBERS =
      Set.of("smallint", "integer", "bigint", "numeric");
  private static final Pattern WITH_MODIFIER =
      Pattern.compile("([a-z ]+)\\((\\d+)(?:,(-?\\d+))?\\)([a-z ]*)");

  private AssignmentCast() {}

  /**
   * How many characters of a text are kept, or digits behind the point of a number or second, or
   * bytes of a floating-point number, when the cast otherwise leaves keys as {@link KeyReader}
   * reads them; empty when it may change them in other ways.
   */
  private static Optional<Integer> limit(KeyKind kind, String type) {
    Matcher modifier = WITH_MODIFIER.matcher(type);
    boolean modified = modifier.matches();
    String name = modified ? modifier.group(1) + modifier.group(4) : type;
    boolean rounds = modified && modifier.group(3) != null && modifier.group(3).startsWith("-");
    boolean faithful =
        switch (kind) {
          case INTEGER -> WHOLE_NUMBERS.contains(name) && !rounds;
          case TEXT -> name.equals("text") || name.equals("character varying");
          case BLANK_PADDED -> name.equals("character") || name.equals("bpchar");
          case UUID -> name.equals("uuid");
          case BOOLEAN -> name.equals("boolean");
          case DATE -> name.equals("date");
          case TIMESTAMP -> name.equals("timestamp without time zone");
          case TIMESTAMPTZ -> name.equals("timestamp with time zone");
          case TIME -> name.equals("time without time zone");
          case FLOAT -> name.equals("real") || name.equals("double precision");
          case DECIMAL -> name.equals("numeric");
          case BYTEA -> name.equals("bytea");
        };
    if (!faithful) {
      return Optional.empty();
    }
    int unlimited = Integer.MAX_VALUE;
    return Optional.of(
        switch (kind) {
          case TEXT, TIMESTAMP, TIMESTAMPTZ, TIME ->
              modified ? Integer.parseInt(modifier.group(2)) : unlimited;
          case DECIMAL -> modified ? scale(modifier) : unlimited;
          case FLOAT -> name.equals("real") ? NumberKey.SINGLE : unlimited;
          default -> unlimited;
        });
  }

  /**
   * What reads values that the cast brings into the column; empty when only a node knows.
   *
   * @param given OID of their type
   */
  static Optional<KeyReader> reader(KeyColumn column, String type, int given) {
    // A floating-point number becomes a decimal one with fewer digits first.
    boolean twice =
        type.startsWith("numeric") && (given == PgType.FLOAT4 || given == PgType.FLOAT8);
    boolean rounds = column.key() == KeyKind.INTEGER && !twice;
    return limit(column.key(), type)
        .map(limit -> rounds ? KeyReader.ofStored(column) : new KeyReader(column, limit));
  }

  private static int scale(Matcher modifier) {
    return modifier.group(3) == null ? 0 : Integer.parseInt(modifier.group(3));
  }
}
