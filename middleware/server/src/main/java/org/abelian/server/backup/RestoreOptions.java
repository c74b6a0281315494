package org.abelian.server.backup;

/**
 * How a backup is restored.
 *
 * @param database to restore into, on each node; null for the name that it had
 * @param maintenanceDatabase to connect to while there is no such database
 * @param jobs parallel jobs of pg_restore on each node
 * @param roles whether roles that do not exist are created
 */
public record RestoreOptions(String database, String maintenanceDatabase, int jobs, boolean roles) {
  /** Under the same name, with roles. */
  public static RestoreOptions usual() {
    return new RestoreOptions(null, "postgres", 1, true);
  }
}
