package org.abelian.advisor.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.abelian.advisor.AdvisorException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OutputFolderTest {
  @TempDir Path folder;

  private void write(String text, boolean finish) throws IOException {
    try (OutputFolder output = OutputFolder.begin(folder.resolve("out"))) {
      Files.writeString(output.file("a"), text);
      if (finish) {
        output.finish();
      }
    }
  }

  @Test
  void leavesNothingHalfDone() throws IOException {
    write("x", false);
    try (Stream<Path> left = Files.list(folder)) {
      assertEquals(0, left.count());
    }
  }

  @Test
  void keepsTheOldUntilTheNewIsDone() throws IOException {
    write("old", true);
    write("new", false);
    assertEquals("old", Files.readString(folder.resolve("out/a")));
    write("new", true);
    assertEquals("new", Files.readString(folder.resolve("out/a")));
  }

  @Test
  void refusesFoldersOfOthers() throws IOException {
    Path mine = Files.createDirectory(folder.resolve("mine"));
    Files.writeString(mine.resolve("precious"), "x");
    assertThrows(AdvisorException.class, () -> OutputFolder.begin(mine));
    assertTrue(Files.exists(mine.resolve("precious")));
    assertFalse(Files.exists(folder.resolve(".mine.unfinished")));
  }
}
