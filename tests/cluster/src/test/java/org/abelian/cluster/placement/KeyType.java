package org.abelian.cluster.placement;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;

/** A type that a distribution column may have. */
enum KeyType {
  SMALLINT("smallint", 21),
  INTEGER("integer", 23),
  BIGINT("bigint", 20),
  NUMERIC("numeric(12,0)", 1700),
  TEXT("text", 25),
  VARCHAR("varchar(5)", 1043),
  CHAR("char(4)", 1042),
  UUID("uuid", 2950),
  BOOLEAN("boolean", 16),
  DATE("date", 1082),
  TIMESTAMP("timestamp", 1114),
  TIMESTAMPTZ("timestamptz", 1184),
  TIME("time", 1083),
  REAL("real", 700),
  DOUBLE("double precision", 701),
  DECIMAL("numeric(9,2)", 1700),
  BYTEA("bytea", 17);

  private static final LocalDate EPOCH = LocalDate.of(2000, 1, 1);
  private static final List<String> LETTERS =
      List.of("a", "b", "c", "x", "z", "A", "Z", " ", "é", "ß", "0", "€", "😀");
  private static final List<String> WORDS = List.of("de", "at", "fr", "x", "y", "");

  private final String sql;
  private final int oid;

  KeyType(String sql, int oid) {
    this.sql = sql;
    this.oid = oid;
  }

  /** As CREATE TABLE has it. */
  String sql() {
    return sql;
  }

  int oid() {
    return oid;
  }

  boolean isText() {
    return this == TEXT || this == VARCHAR || this == CHAR;
  }

  /** True when the value has to be quoted in a statement. */
  boolean isQuoted() {
    return switch (this) {
      case SMALLINT, INTEGER, BIGINT, NUMERIC, DECIMAL, BOOLEAN -> false;
      default -> true;
    };
  }

  /** A value in PostgreSQL's output form: most are near to each other, some at the ends. */
  String random(SplittableRandom random) {
    return switch (this) {
      case SMALLINT -> Long.toString(number(random, Short.MIN_VALUE, Short.MAX_VALUE));
      case INTEGER -> Long.toString(number(random, Integer.MIN_VALUE, Integer.MAX_VALUE));
      case BIGINT -> Long.toString(number(random, Long.MIN_VALUE, Long.MAX_VALUE));
      case NUMERIC -> Long.toString(number(random, -999_999_999_999L, 999_999_999_999L));
      case TEXT -> word(random, 6);
      case VARCHAR -> word(random, 5);
      case CHAR -> padded(word(random, 4));
      case UUID -> new UUID(random.nextInt(3), random.nextInt(9)).toString();
      case BOOLEAN -> random.nextBoolean() ? "true" : "false";
      case DATE -> date(random);
      case TIMESTAMP -> moment(random);
      case TIMESTAMPTZ -> moment(random) + "+00";
      case TIME -> clock(random);
      case REAL -> floating(random, (float) random.nextDouble());
      case DOUBLE -> floating(random, random.nextDouble());
      case DECIMAL -> decimal(random);
      case BYTEA -> "\\x" + HexFormat.of().formatHex(word(random, 3).getBytes(UTF_8));
    };
  }

  private static String clock(SplittableRandom random) {
    String minute = "%02d:%02d".formatted(random.nextInt(24), 15 * random.nextInt(4));
    return minute + (random.nextInt(3) == 0 ? ":59.000001" : ":00");
  }

  private static String moment(SplittableRandom random) {
    return EPOCH.plusDays(random.nextInt(-40, 40)) + " " + clock(random);
  }

  private static String floating(SplittableRandom random, Number fraction) {
    return switch (random.nextInt(8)) {
      case 0 -> "NaN";
      case 1 -> random.nextBoolean() ? "Infinity" : "-Infinity";
      case 2 -> "0";
      case 3 -> fraction.toString();
      default -> Integer.toString(random.nextInt(-60, 700));
    };
  }

  private static String decimal(SplittableRandom random) {
    return BigDecimal.valueOf(number(random, -999_999_999, 999_999_999), 2).toPlainString();
  }

  private static long number(SplittableRandom random, long least, long greatest) {
    return switch (random.nextInt(8)) {
      case 0 -> least + random.nextInt(3);
      case 1 -> greatest - random.nextInt(3);
      case 2 -> random.nextLong(least, greatest);
      default -> random.nextInt(-60, 700);
    };
  }

  private static String word(SplittableRandom random, int lengthMax) {
    if (random.nextInt(3) == 0) {
      return WORDS.get(random.nextInt(WORDS.size()));
    }
    StringBuilder word = new StringBuilder();
    for (int at = random.nextInt(lengthMax + 1); at > 0; at--) {
      word.append(LETTERS.get(random.nextInt(LETTERS.size())));
    }
    return word.toString();
  }

  private static String padded(String word) {
    return word + " ".repeat(4 - word.codePointCount(0, word.length()));
  }

  private static String date(SplittableRandom random) {
    return switch (random.nextInt(20)) {
      case 0 -> "infinity";
      case 1 -> "-infinity";
      case 2 -> "0044-03-15 BC";
      case 3 -> "5874897-12-31";
      default -> EPOCH.plusDays(random.nextInt(-3_000, 12_000)).toString();
    };
  }

  /** PostgreSQL's binary form; null where this test does not know it. */
  byte[] binary(String text) {
    return switch (this) {
      case SMALLINT -> ByteBuffer.allocate(2).putShort(Short.parseShort(text)).array();
      case INTEGER -> ByteBuffer.allocate(4).putInt(Integer.parseInt(text)).array();
      case BIGINT -> ByteBuffer.allocate(8).putLong(Long.parseLong(text)).array();
      case NUMERIC, DECIMAL, TIMESTAMP, TIMESTAMPTZ, TIME -> null;
      case REAL -> ByteBuffer.allocate(4).putFloat(Float.parseFloat(text)).array();
      case DOUBLE -> ByteBuffer.allocate(8).putDouble(Double.parseDouble(text)).array();
      case BYTEA -> HexFormat.of().parseHex(text.substring(2));
      case TEXT, VARCHAR, CHAR -> text.getBytes(UTF_8);
      case UUID -> {
        UUID uuid = java.util.UUID.fromString(text);
        yield ByteBuffer.allocate(16)
            .putLong(uuid.getMostSignificantBits())
            .putLong(uuid.getLeastSignificantBits())
            .array();
      }
      case BOOLEAN -> new byte[] {(byte) (text.equals("true") ? 1 : 0)};
      case DATE -> days(text);
    };
  }

  private static byte[] days(String text) {
    if (text.endsWith("infinity") || text.endsWith("BC") || text.length() > 10) {
      return null;
    }
    int days = (int) ChronoUnit.DAYS.between(EPOCH, LocalDate.parse(text));
    return ByteBuffer.allocate(4).putInt(days).array();
  }

  /** As a constant of a statement. */
  String literal(String text) {
    return isQuoted() ? "'" + text.replace("'", "''") + "'" : text;
  }
}
