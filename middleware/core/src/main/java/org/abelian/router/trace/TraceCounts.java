package org.abelian.router.trace;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** What became of the transactions that were to be recorded. Thread-safe. */
final class TraceCounts {
  private final LongAdder transactions = new LongAdder();
  private final LongAdder lines = new LongAdder();
  private final LongAdder bytes = new LongAdder();
  private final LongAdder cutValues = new LongAdder();
  private final LongAdder dropped = new LongAdder();
  private final LongAdder droppedLines = new LongAdder();

  void written(int writtenTransactions, long writtenLines, long writtenBytes) {
    transactions.add(writtenTransactions);
    lines.add(writtenLines);
    bytes.add(writtenBytes);
  }

  void cutValue() {
    cutValues.increment();
  }

  /** Transactions that the files will not have. */
  void dropped(int droppedTransactions, long theirLines) {
    dropped.add(droppedTransactions);
    droppedLines.add(theirLines);
  }

  /** All of them by name. */
  Map<String, Long> all() {
    Map<String, Long> all = new LinkedHashMap<>();
    all.put("transactions", transactions.sum());
    all.put("lines", lines.sum());
    all.put("bytes", bytes.sum());
    all.put("cut_values", cutValues.sum());
    all.put("dropped_transactions", dropped.sum());
    all.put("dropped_lines", droppedLines.sum());
    return all;
  }
}
