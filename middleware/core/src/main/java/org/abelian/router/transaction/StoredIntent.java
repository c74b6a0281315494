package org.abelian.router.transaction;

/**
 * An intent as a node keeps it.
 *
 * @param committed false when the transaction is barred there: it has not committed on that node
 *     and no session will commit it; then there is no work
 * @param role whose operations they are
 */
public record StoredIntent(IntentId id, boolean committed, Intent intent, String role) {}
