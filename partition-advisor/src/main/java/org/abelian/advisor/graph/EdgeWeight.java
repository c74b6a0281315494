package org.abelian.advisor.graph;

import org.abelian.advisor.files.Engine;

/**
 * What it costs to separate two tuples that a transaction uses (Turcu, section 7.4.1), and our
 * addition: next to nothing where a write commutes.
 */
final class EdgeWeight {
  /** One needs what was found in the other: they should never be separated. */
  static final int DEPENDENCY = 10_000;

  /** The transaction may abort because of one: apart, it would have to be coordinated. */
  static final int DECISION = 500;

  /** Any two. */
  static final int LIGHT = 10;

  /** A blind commuting write can be anywhere. */
  static final int COMMUTING = 1;

  /** METIS adds weights in signed 32 bits. */
  static final long MOST_IN_ALL = 1_500_000_000;

  private EdgeWeight() {}

  /** A weight in a transaction that stands for several, or for less than one. */
  static String scaled(String weight, String share) {
    return "greatest(1, round((" + weight + ") * " + share + "))::BIGINT";
  }

  /** The weight of an edge, from two SQL conditions over what it joins. */
  static String sql(String commutes, String decides) {
    return "CASE WHEN "
        + commutes
        + " THEN "
        + COMMUTING
        + " WHEN "
        + decides
        + " THEN "
        + DECISION
        + " ELSE "
        + LIGHT
        + " END";
  }

  /** The greatest cap under which the weights of table edge fit, by halving. */
  static long cap(Engine engine) {
    long cap = Integer.MAX_VALUE;
    while (cap > LIGHT
        && engine.number("SELECT sum(least(weight, " + cap + ")) FROM edge") > MOST_IN_ALL) {
      cap /= 2;
    }
    return cap;
  }
}
