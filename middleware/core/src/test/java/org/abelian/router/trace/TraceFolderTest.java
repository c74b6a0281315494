package org.abelian.router.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TraceFolderTest {
  private static final int FILE_BYTES = 100;
  private static final int FILES = 3;

  @TempDir Path parent;

  private Path folder() {
    return parent.resolve("a/b");
  }

  private TraceFolder open() throws IOException {
    return new TraceFolder(folder(), FILE_BYTES, FILES);
  }

  private static void write(TraceFolder folder, String line) throws IOException {
    byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
    folder.write(bytes, bytes.length);
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> all = Files.list(folder())) {
      return all.filter(file -> file.toString().endsWith(".jsonl")).sorted().toList();
    }
  }

  private List<String> names() throws IOException {
    return files().stream().map(file -> file.getFileName().toString()).toList();
  }

  @Test
  void keepsTheBoundAndWholeLines() throws IOException {
    try (TraceFolder folder = open()) {
      for (int i = 0; i < 1000; i++) {
        write(folder, ("line " + i + " " + "x".repeat(i * 7 % 80)).strip() + "\n");
        assertTrue(files().size() <= FILES);
        for (Path file : files()) {
          assertTrue(Files.size(file) <= FILE_BYTES);
        }
      }
    }
    String all = "";
    for (Path file : files()) {
      all += Files.readString(file);
    }
    assertTrue(all.endsWith("\n") && all.contains("line 999"), all);
    assertTrue(all.lines().allMatch(line -> line.startsWith("line ")), all);
  }

  @Test
  void opensNothingToOthers() throws IOException {
    open().close();
    assertEquals(
        "rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(folder())));
    try (Stream<Path> all = Files.list(folder())) {
      for (Path file : all.toList()) {
        assertEquals(
            "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
      }
    }
  }

  @Test
  void goesOnAfterARestartInANewFileWithinTheBound() throws IOException {
    for (int start = 1; start <= 5; start++) {
      try (TraceFolder folder = open()) {
        write(folder, "{\"cut off");
      }
    }
    assertEquals(
        List.of("trace-0000000003.jsonl", "trace-0000000004.jsonl", "trace-0000000005.jsonl"),
        names());
  }

  @Test
  void belongsToOneRouterAtATime() throws IOException {
    try (TraceFolder folder = open()) {
      IOException refused = assertThrows(IOException.class, this::open);
      assertTrue(refused.getMessage().contains("another router"), refused::getMessage);
      write(folder, "still\n");
    }
    open().close();
  }

  @Test
  void followsNoLinkAndDeletesNothingElse() throws IOException {
    Files.createDirectories(folder());
    Path other = Files.writeString(parent.resolve("other"), "precious");
    Files.createSymbolicLink(folder().resolve("trace.lock"), other);
    assertThrows(IOException.class, this::open);
    Files.delete(folder().resolve("trace.lock"));
    Path mine = Files.writeString(folder().resolve("trace-1.jsonl"), "mine");
    try (TraceFolder folder = open()) {
      for (int i = 0; i < 50; i++) {
        write(folder, "x".repeat(60) + "\n");
      }
    }
    assertEquals("precious", Files.readString(other));
    assertEquals("mine", Files.readString(mine));
  }

  @Test
  void saysAtOnceThatItCannotWrite() throws IOException {
    Files.writeString(parent.resolve("a"), "a file");
    assertThrows(IOException.class, this::open);
  }
}
