package org.abelian.router.trace;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.abelian.router.routing.PgType;

/**
 * Puts something else in place of a value: what HMAC-SHA-256 gives for it under a key. Equal values
 * stay equal, whatever types they were bound with: what is done follows from the form of the text.
 * Numbers become whole numbers of 18 digits at most, dates dates, UUIDs UUIDs, all else a letter
 * and 32 hexadecimal digits. NULL and truth values stay. Not thread-safe.
 */
final class ValueHash {
  /** Shorter keys could be found by trying. */
  static final int KEY_LEAST = 16;

  private static final String ALGORITHM = "HmacSHA256";
  private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9]\\d{0,37})(\\.\\d{1,38})?");
  private static final Pattern DATE = Pattern.compile("\\d{4}-\\d{2}-\\d{2}");
  private static final Pattern UUID_FORM =
      Pattern.compile(
          "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", Pattern.CASE_INSENSITIVE);
  private static final BigInteger NUMBERS = BigInteger.TEN.pow(18);

  /** Days from 0001-01-01 to the end of the year 9998. */
  private static final BigInteger DAYS = BigInteger.valueOf(3_651_694);

  private static final LocalDate FIRST_DAY = LocalDate.of(1, 1, 1);

  private final Mac mac;

  /**
   * @param key at least {@link #KEY_LEAST} bytes
   * @throws IllegalArgumentException when the key is too short
   */
  ValueHash(byte[] key) {
    if (key.length < KEY_LEAST) {
      throw new IllegalArgumentException(
          "the key for the values of a trace must have at least " + KEY_LEAST + " bytes");
    }
    try {
      mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key, ALGORITHM));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(ALGORITHM + " is missing", e);
    }
  }

  /**
   * What stands for a text form.
   *
   * @param type the OID of its type; 0 when it is not known
   */
  String of(String text, int type) {
    if (type == PgType.BOOL) {
      return text;
    }
    if (PgType.elementOf(type) != PgType.UNKNOWN) {
      List<String> elements = ParameterForm.elements(text);
      if (elements != null) {
        int element = PgType.elementOf(type);
        return ParameterForm.array(
            elements.stream().map(one -> one == null ? null : of(one, element)).toList());
      }
    }
    return ofScalar(type == PgType.BPCHAR ? text.stripTrailing() : text);
  }

  private String ofScalar(String text) {
    if (NUMBER.matcher(text).matches()) {
      BigDecimal number = new BigDecimal(text).stripTrailingZeros();
      return number(digest('n', number.toPlainString())).toString();
    }
    if (UUID_FORM.matcher(text).matches()) {
      ByteBuffer bytes = ByteBuffer.wrap(digest('u', text.toLowerCase(Locale.ROOT)));
      return new UUID(bytes.getLong(), bytes.getLong()).toString();
    }
    if (DATE.matcher(text).matches() && isDate(text)) {
      BigInteger day = new BigInteger(1, digest('d', text)).mod(DAYS);
      return FIRST_DAY.plusDays(day.longValue()).toString();
    }
    return "h" + HexFormat.of().formatHex(digest('t', text), 0, 16);
  }

  private static BigInteger number(byte[] digest) {
    return new BigInteger(1, digest).mod(NUMBERS);
  }

  private static boolean isDate(String text) {
    try {
      LocalDate.parse(text);
      return true;
    } catch (DateTimeParseException other) {
      return false;
    }
  }

  private byte[] digest(char kind, String text) {
    mac.update((byte) kind);
    return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
  }
}
