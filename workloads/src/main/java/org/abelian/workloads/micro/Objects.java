package org.abelian.workloads.micro;

import java.util.Locale;

/**
 * What transactions read and operate on: the same thing in plain PostgreSQL and as an Abelian type.
 * In the statements, {@code :k} is the object's key, and {@code :x} one of {@value #ELEMENTS}
 * elements.
 */
public enum Objects {
  /**
   * A set: add an element, or read the size. In plain PostgreSQL an array in the row, which is what
   * an abelian.set is to its user; every addition writes the row, as it does with a lock for
   * writing on a record.
   */
  SET(
      true,
      new Form(
          "text[] NOT NULL DEFAULT '{}'",
          "UPDATE %1$s SET v = CASE WHEN CAST(:x AS text) = ANY (v) THEN v"
              + " ELSE array_append(v, CAST(:x AS text)) END WHERE id = :k;",
          "SELECT cardinality(v) FROM %1$s WHERE id = :k"),
      new Form(
          "abelian.set NOT NULL DEFAULT ARRAY[]::text[]::abelian.set",
          "UPDATE %1$s SET v = abelian.add(v, CAST(:x AS text)) WHERE id = :k;",
          "SELECT abelian.size(v) FROM %1$s WHERE id = :k")),
  /** A counter: add 1, or read the count. */
  COUNTER(
      false,
      new Form(
          "bigint NOT NULL DEFAULT 0",
          "UPDATE %1$s SET v = v + 1 WHERE id = :k;",
          "SELECT v FROM %1$s WHERE id = :k"),
      new Form(
          "abelian.counter NOT NULL DEFAULT 0",
          "UPDATE %1$s SET v = v + 1 WHERE id = :k;",
          "SELECT v FROM %1$s WHERE id = :k"));

  /** How many different elements a set may have. */
  static final int ELEMENTS = 100;

  private final boolean variesMix;
  private final Form plain;
  private final Form abelian;

  Objects(boolean variesMix, Form plain, Form abelian) {
    this.variesMix = variesMix;
    this.plain = plain;
    this.abelian = abelian;
  }

  /** Whether the experiment with the share of operations is made, too. */
  public boolean variesMix() {
    return variesMix;
  }

  /** As tables and pictures name them. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  Form form(Variety variety) {
    return variety.isPlain() ? plain : abelian;
  }

  String table(Variety variety) {
    return "micro_" + label() + (variety.isPlain() ? "_plain" : "_abelian");
  }

  /**
   * One way to keep the objects.
   *
   * @param column type and constraints of the column {@code v}
   * @param add the operation; %s is the table
   * @param read the read that must stay true until the transaction ends, without an end
   */
  record Form(String column, String add, String read) {}
}
