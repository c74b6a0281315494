package org.abelian.workloads.tpcc.transaction;

import java.util.Optional;
import org.abelian.workloads.tpcc.journal.EntryKey;

/**
 * What a profile has done and how it wants to end.
 *
 * @param rollback true when the user's input demands a rollback (clause 2.4.1.4)
 * @param key the row that proves the commit; empty for profiles that are not journalled
 */
public record Receipt(boolean rollback, Optional<EntryKey> key) {
  static Receipt of(EntryKey key) {
    return new Receipt(false, Optional.of(key));
  }

  static Receipt withoutKey() {
    return new Receipt(false, Optional.empty());
  }

  static Receipt rolledBackWithoutKey() {
    return new Receipt(true, Optional.empty());
  }

  static Receipt rolledBack(EntryKey key) {
    return new Receipt(true, Optional.of(key));
  }
}
