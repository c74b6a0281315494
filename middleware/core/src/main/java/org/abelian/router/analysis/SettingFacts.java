package org.abelian.router.analysis;

/**
 * The setting that SET, RESET or SHOW names.
 *
 * @param name in lower case; "all" for RESET ALL and SHOW ALL
 * @param value what SET sets, if it is made of constants; null otherwise
 * @param toDefault whether SET ... TO DEFAULT resets it
 */
public record SettingFacts(String name, Scope scope, String value, boolean toDefault) {
  /** How long a SET holds. */
  public enum Scope {
    SESSION,
    LOCAL,
    TRANSACTION
  }
}
