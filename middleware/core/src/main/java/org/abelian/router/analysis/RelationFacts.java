package org.abelian.router.analysis;

import java.util.List;

/**
 * A relation that a statement touches, anywhere in it, views expanded.
 *
 * @param id its number within the statement; columns refer to it
 * @param catalog true for PostgreSQL's own catalogues and the information schema
 * @param assigned columns that UPDATE, DO UPDATE or MERGE assigns here
 * @param locking the locking clause ("update", "no key update", "share", "key share"), or null
 * @param level 0 for the statement itself, deeper for subqueries
 * @param keyNotNull of a distributed table that is written: a node refuses rows without a value in
 *     one of the distribution columns
 * @param unpreparable what is done with it may be what PREPARE TRANSACTION refuses, as triggers may
 *     notify, and foreign tables refuse it
 */
public record RelationFacts(
    int id,
    String schema,
    String name,
    boolean catalog,
    boolean temporary,
    boolean write,
    List<String> assigned,
    String locking,
    int level,
    boolean keyNotNull,
    boolean unpreparable) {
  /** Copies the list. */
  public RelationFacts {
    assigned = List.copyOf(assigned);
  }

  /** The same when it is only read. */
  RelationFacts reading() {
    return new RelationFacts(
        id,
        schema,
        name,
        catalog,
        temporary,
        false,
        List.of(),
        locking,
        level,
        false,
        unpreparable);
  }
}
