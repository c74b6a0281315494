package org.abelian.router.analysis;

import java.util.List;

/**
 * How an INSERT ... SELECT, MERGE, CREATE TABLE AS or SELECT INTO runs whose rows go to other nodes
 * than those that select them, or an UPDATE that moves rows: in two statements, with the rows at
 * the router between them.
 *
 * @param source gives the rows, for an UPDATE by deleting the old ones; it has the statement's own
 *     parameters
 * @param insert takes the rows, as one array for each column, in parameters after the statement's
 *     own
 * @param insertFacts what is to be known of the latter
 * @param keys where each distribution column's value comes from; empty for a reference table
 * @param computed what a node computes for each row, given their number as the parameter after the
 *     statement's own: more columns, after those of the source; null when there is nothing
 * @param table what makes the table first; null for an INSERT
 */
public record GatheredFacts(
    String source,
    StatementFacts sourceFacts,
    String insert,
    StatementFacts insertFacts,
    List<Key> keys,
    ComputedFacts computed,
    NewTable table)
    implements InsteadFacts {
  /** Copies the list. */
  public GatheredFacts {
    keys = List.copyOf(keys);
  }

  /**
   * A table that the statement makes.
   *
   * @param create makes it without rows, and fails if it is there; it has the statement's
   *     parameters; null when it has to be there
   * @param name with its schema, quoted
   * @param unlessExists true when the statement does nothing if it is there
   * @param refresh fills a materialized view with the rows that the node has been given for it;
   *     null for a table
   */
  public record NewTable(String create, String name, boolean unlessExists, String refresh) {}

  /**
   * A distribution column's value.
   *
   * @param field the column of the rows that has it, from 0
   * @param type the OID of that column's type
   * @param cast the name of the type that it is cast to, as format_type() gives it
   * @param value the same for all rows; null when it is a field
   */
  public record Key(int field, int type, String cast, Value value) {}
}
