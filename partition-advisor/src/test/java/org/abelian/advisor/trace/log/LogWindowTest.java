package org.abelian.advisor.trace.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.abelian.advisor.AdvisorException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogWindowTest {
  private static final String FIRST = "2024-01-01 00:00:00.001 UTC,a,\"x \n y\"\n";
  private static final String SECOND = "2024-01-01 00:00:00.002 UTC,b,\"it\"\"s \u00e9\n\"\n";
  private static final String BROKEN = "2024-01-01 00:00:00.003 UTC,c,\"x\n";

  @TempDir Path folder;

  private String window(String name, String content, int bytes) throws IOException {
    Path log = Files.writeString(folder.resolve(name), content);
    Path target = Files.createDirectories(folder.resolve("copy"));
    return Files.readString(LogWindow.copy(log, bytes, target));
  }

  @Test
  void copiesWholeRecords() throws IOException {
    String all = FIRST + SECOND + BROKEN;
    assertEquals(FIRST + SECOND, window("log.csv", all, 10_000));
    int bytes = all.getBytes().length;
    assertEquals(SECOND, window("log.csv", all, bytes - 1));
    // The cut is inside of the first record's text.
    assertEquals(SECOND, window("log.csv", all, bytes - FIRST.length() + 3));
    assertThrows(AdvisorException.class, () -> window("log.csv", all, BROKEN.length()));
    assertThrows(AdvisorException.class, () -> window("log.csv", "", 100));
    assertEquals("{2}\n", window("log.json", "{1}\n{2}\n{3", 9));
    assertEquals("{1}\n{2}\n", window("log.json", "{1}\n{2}\n{3", 100));
    assertEquals("{2}\n", window("trace-1.jsonl", "{1}\n{2}\n{3", 9));
  }

  @Test
  void takesTheNewestOfAFolder() throws IOException {
    Path logs = Files.createDirectories(folder.resolve("logs"));
    Path old = Files.writeString(logs.resolve("b.json"), "{1}\n");
    old.toFile().setLastModified(1_000_000);
    Files.writeString(logs.resolve("a.json"), "{2}\n");
    Files.writeString(logs.resolve("c.log"), "text\n");
    Path target = Files.createDirectories(folder.resolve("copy"));
    assertEquals("{2}\n", Files.readString(LogWindow.copy(logs, 100, target)));
  }
}
