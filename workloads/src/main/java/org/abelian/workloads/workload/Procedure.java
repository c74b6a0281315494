package org.abelian.workloads.workload;

/**
 * A procedure of one transaction.
 *
 * @param signature name and types of its arguments
 * @param create statement that creates it
 * @param keys names of the arguments that are keys of rows
 * @param table whose rows have such keys
 */
public record Procedure(String signature, String create, String keys, String table) {
  /** The statement that declares it to a cluster. */
  String declare() {
    return "CALL create_distributed_procedure('%s', '%s', colocate_with => '%s')"
        .formatted(signature, keys, table);
  }
}
