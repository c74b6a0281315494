package org.abelian.router.analysis;

/** The setting that SET, RESET or SHOW names. */
public record SettingFacts(String name, Scope scope) {
  /** How long a SET holds. */
  public enum Scope {
    SESSION,
    LOCAL,
    TRANSACTION
  }
}
