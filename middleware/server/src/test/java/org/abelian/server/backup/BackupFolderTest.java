package org.abelian.server.backup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BackupFolderTest {
  private static final Globals GLOBALS =
      new Globals(
          List.of(new Globals.Role("app", List.of("CREATE ROLE app"))),
          List.of("GRANT a TO app"),
          List.of(new Globals.Setting(null, "work_mem TO '3MB'")),
          null,
          "TEMPLATE template0",
          "app");

  @TempDir Path path;

  private BackupFolder folder;
  private Manifest written;

  @BeforeEach
  void write() throws Exception {
    folder = new BackupFolder(path.resolve("b"));
    folder.create();
    Manifest.StoredFile dump =
        folder.write("node-1.dump", file -> file.write("rows".getBytes(StandardCharsets.UTF_8)));
    written =
        new Manifest(
            "2026-11-22T22:00:00+00:00",
            "abelian",
            "0.6.0",
            150018,
            JsonNodeFactory.instance.objectNode().put("version", 7_000_000_000L),
            List.of(
                new Manifest.Node(
                    1,
                    "127.0.0.1:7001",
                    "0/1",
                    4,
                    dump,
                    folder.writeJson("node-1-globals.json", GLOBALS))));
    folder.finish(written);
  }

  private Path file(String name) {
    return path.resolve("b").resolve(name);
  }

  private void refused(String why) {
    String message = assertThrows(BackupException.class, folder::verify).getMessage();
    assertTrue(message.contains(why), message);
  }

  private void edit(String name, String before, String after) throws IOException {
    String text = Files.readString(file(name));
    assertTrue(text.contains(before), text);
    Files.writeString(file(name), text.replace(before, after));
  }

  @Test
  void whatIsWrittenIsRead() throws Exception {
    assertEquals(written.nodes(), folder.verify().nodes());
    assertEquals("" + written, "" + folder.verify());
    assertEquals(GLOBALS, folder.globals(written.nodes().get(0)));
  }

  @Test
  void aDamagedFileIsRefused() throws Exception {
    edit("node-1.dump", "rows", "rowz");
    refused("\"node-1.dump\" is damaged");
  }

  @Test
  void aTruncatedFileIsRefused() throws Exception {
    edit("node-1.dump", "rows", "row");
    refused("\"node-1.dump\" is damaged");
  }

  @Test
  void aMissingFileIsNamed() throws Exception {
    Files.delete(file("node-1-globals.json"));
    refused("\"node-1-globals.json\" is missing");
  }

  @Test
  void aChangedManifestIsRefused() throws Exception {
    edit(BackupFolder.MANIFEST, "127.0.0.1:7001", "127.0.0.1:7002");
    refused("its checksum differs");
  }

  @Test
  void aTruncatedManifestIsRefused() throws Exception {
    String text = Files.readString(file(BackupFolder.MANIFEST));
    Files.writeString(file(BackupFolder.MANIFEST), text.substring(0, text.length() / 2));
    refused("\"manifest.json\" is damaged");
  }

  @Test
  void anEmptyManifestIsRefused() throws Exception {
    Files.writeString(file(BackupFolder.MANIFEST), "");
    refused("the backup has format 0");
  }

  @Test
  void anotherFormatIsRefused() throws Exception {
    edit(BackupFolder.MANIFEST, "\"format\" : 1", "\"format\" : 2");
    refused("the backup has format 2, this version reads 1");
  }

  @Test
  void aFolderWithoutAManifestIsNoBackup() throws Exception {
    Files.delete(file(BackupFolder.MANIFEST));
    refused("is not a complete backup");
  }

  @Test
  void aFolderWithFilesIsNotWrittenTo() {
    String message = assertThrows(BackupException.class, folder::create).getMessage();
    assertTrue(message.contains("exists but is not empty"), message);
  }
}
