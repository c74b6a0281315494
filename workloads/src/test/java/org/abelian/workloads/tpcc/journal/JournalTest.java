package org.abelian.workloads.tpcc.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalTest {
  private static final OrderKey ORDER = new OrderKey(1, 2, 3001, 7, 1_700_000_000_000_001L);
  private static final PaymentKey PAYMENT =
      new PaymentKey(1, 2, 3, 4, 5, 1_700_000_000_000_002L, 12_345);

  @TempDir Path folder;

  @Test
  void anEntryIsReadAsItWasWritten() {
    for (EntryKey key : List.of(ORDER, PAYMENT)) {
      Entry entry = new Entry(3, Verdict.UNKNOWN, key);
      assertEquals(entry, Entry.parse(entry.format()));
    }
  }

  @Test
  void theLastVerdictOfAnAttemptCounts() throws IOException {
    Path file = folder.resolve("journal");
    try (FileJournal journal = new FileJournal(file)) {
      journal.write(new Entry(0, Verdict.INTENDED, ORDER));
      journal.write(new Entry(1, Verdict.INTENDED, PAYMENT));
      journal.write(new Entry(0, Verdict.ACKNOWLEDGED, ORDER));
    }
    assertEquals(
        Map.of(ORDER, Verdict.ACKNOWLEDGED, PAYMENT, Verdict.INTENDED),
        JournalReader.read(List.of(file)));
  }

  @Test
  void aLineCutOffAtTheEndIsIgnored() throws IOException {
    Path file = folder.resolve("journal");
    try (FileJournal journal = new FileJournal(file)) {
      journal.write(new Entry(0, Verdict.INTENDED, ORDER));
    }
    Files.writeString(file, "0 ACKNOWLEDGED new_order 1 2 30", StandardOpenOption.APPEND);
    assertEquals(Map.of(ORDER, Verdict.INTENDED), JournalReader.read(List.of(file)));
  }

  @Test
  void aSpoiltLineInTheMiddleIsAnError() throws IOException {
    Path file = folder.resolve("journal");
    Files.writeString(file, "0 ACKNOWLEDGED new_order 1\n0 INTENDED payment 1 2 3 4 5 6 7\n");
    assertThrows(IOException.class, () -> JournalReader.read(List.of(file)));
  }
}
