package org.abelian.workloads.pair;

/**
 * A distributed procedure that writes two rows, whose integer keys are its first arguments.
 *
 * @param table whose rows they are
 * @param hasAmount whether it has a third argument, {@code amount}
 * @param first writes the row of the key {@code one}
 * @param second writes the row of the key {@code other}
 * @param isPromised declared independent on our word, where the analysis would not call it so
 */
public record PairProcedure(
    String name, String table, boolean hasAmount, String first, String second, boolean isPromised) {
  /** The statement of a call. */
  public String call() {
    return "CALL " + name + (hasAmount ? "(?, ?, ?)" : "(?, ?)");
  }

  /** Drops it. */
  public String drop() {
    return "DROP PROCEDURE IF EXISTS " + name;
  }

  /** In PL/pgSQL, which keeps the plans of a body; a body in SQL is planned for each call. */
  public String create() {
    return "CREATE PROCEDURE %s(one integer, other integer%s) LANGUAGE plpgsql AS $$ BEGIN %s; %s; END $$"
        .formatted(name, hasAmount ? ", amount integer" : "", first, second);
  }

  /** Declares it to the router. */
  public String declare() {
    return "CALL create_distributed_procedure('%s(integer, integer%s)', 'one, other', colocate_with => '%s'%s)"
        .formatted(
            name,
            hasAmount ? ", integer" : "",
            table,
            isPromised ? ", class => 'independent', unsafe => true" : "");
  }
}
