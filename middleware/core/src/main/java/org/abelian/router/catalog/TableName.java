package org.abelian.router.catalog;

/** A table by its schema and name, unquoted. */
public record TableName(String schema, String name) {
  @Override
  public String toString() {
    return schema + "." + name;
  }
}
