package org.abelian.server.backup;

/**
 * How a backup is taken.
 *
 * @param lockWaitMillis how long to wait for a table that is locked
 * @param gateMillis how long to try to find a moment between commits over several nodes
 * @param compression of the dumps, 0 to 9
 * @param passwords whether roles are stored with the verifiers of their passwords
 */
public record BackupOptions(
    int lockWaitMillis, int gateMillis, int compression, boolean passwords) {
  /** How pg_dump would do it. */
  public static BackupOptions usual() {
    return new BackupOptions(60_000, 60_000, 6, true);
  }
}
