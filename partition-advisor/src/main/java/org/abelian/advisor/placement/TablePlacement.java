package org.abelian.advisor.placement;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;

/** Where the rows of a table lie. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "method")
@JsonSubTypes({
  @JsonSubTypes.Type(value = TablePlacement.Hash.class, name = "hash"),
  @JsonSubTypes.Type(value = TablePlacement.RowHash.class, name = "row_hash"),
  @JsonSubTypes.Type(value = TablePlacement.Reference.class, name = "reference"),
  @JsonSubTypes.Type(value = TablePlacement.Lookup.class, name = "lookup"),
  @JsonSubTypes.Type(value = TablePlacement.RowLookup.class, name = "row_lookup"),
  @JsonSubTypes.Type(value = TablePlacement.Rules.class, name = "rules")
})
public sealed interface TablePlacement {
  /**
   * By the hash of a column.
   *
   * @param column its name
   */
  record Hash(String column) implements TablePlacement {}

  /** By the hash of the whole primary key. */
  record RowHash() implements TablePlacement {}

  /** A copy on every node. */
  record Reference() implements TablePlacement {}

  /**
   * By a table of values of a column; those that are not in it by their hash.
   *
   * @param column its name
   * @param map the name of the map from values to partitions
   */
  record Lookup(String column, String map) implements TablePlacement {}

  /**
   * By a table of rows; those that are not in it by the hash of their primary keys.
   *
   * @param map the name of the map from identities to partitions
   */
  record RowLookup(String map) implements TablePlacement {}

  /**
   * By rules over columns.
   *
   * @param rule the first question
   */
  record Rules(Rule rule) implements TablePlacement {}
}
