/**
 * Backup of a whole cluster at one moment, and its restore: the commands, the moment, the files.
 * The rows themselves are written and read by pg_dump and pg_restore. Why a backup holds each
 * transaction wholly or not at all stands in docs/guide/backup.md.
 */
package org.abelian.server.backup;
