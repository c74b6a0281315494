package org.abelian.advisor.trace;

import org.abelian.router.placement.KeyKind;

/** What the router distinguishes of the types of distribution columns. */
public enum KeyType {
  /** Whole numbers. */
  NUMBER(KeyKind.INTEGER),
  /** Texts. */
  TEXT(KeyKind.TEXT),
  /** Texts whose trailing blanks mean nothing. */
  PADDED(KeyKind.BLANK_PADDED),
  /** 16 bytes. */
  UUID(KeyKind.UUID),
  /** Truth values. */
  BOOLEAN(KeyKind.BOOLEAN),
  /** Days. */
  DATE(KeyKind.DATE);

  private final KeyKind kind;

  KeyType(KeyKind kind) {
    this.kind = kind;
  }

  /** How the router brings such values into one form. */
  public KeyKind kind() {
    return kind;
  }

  /**
   * Of a type, or null when rows cannot be placed by it.
   *
   * @param type as format_type() gives it
   */
  public static KeyType of(String type) {
    int modifier = type.indexOf('(');
    return switch (modifier < 0 ? type : type.substring(0, modifier)) {
      case "smallint", "integer", "bigint" -> NUMBER;
      // Without digits after the point it is a number like others.
      case "numeric" -> type.matches("numeric\\(\\d+,0\\)") ? NUMBER : null;
      case "text", "character varying" -> TEXT;
      case "character" -> PADDED;
      case "uuid" -> UUID;
      case "boolean" -> BOOLEAN;
      case "date" -> DATE;
      default -> null;
    };
  }
}
