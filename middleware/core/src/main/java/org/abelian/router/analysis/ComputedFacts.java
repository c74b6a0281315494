package org.abelian.router.analysis;

import java.util.List;

/**
 * How a node computes values of an INSERT before its rows are placed.
 *
 * @param query a row for each row of the INSERT that has such values; it has the statement's own
 *     parameters
 * @param places where in the query's answer each additional parameter stands; null for a random key
 * @param sequences whether it draws numbers of sequences, which count on the first node
 * @param transactional whether it depends on the transaction that asks, as now() does
 * @param draws the sequences from which it draws, qualified and quoted
 */
public record ComputedFacts(
    String query,
    List<Place> places,
    boolean sequences,
    boolean transactional,
    List<String> draws) {
  /** A row and a column, from 0. */
  public record Place(int row, int column) {}
}
