package org.abelian.server.backup;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The folder of a backup: files that only their owner may read, and the manifest, which is written
 * last and makes it complete.
 */
final class BackupFolder {
  /** The format that this version writes, and the only one that it reads. */
  static final int FORMAT = 1;

  static final String MANIFEST = "manifest.json";

  private static final ObjectMapper JSON = new ObjectMapper();

  private final Path path;

  /** Names it; nothing is read or written yet. */
  BackupFolder(Path path) {
    this.path = path;
  }

  /** Writes a file. */
  @FunctionalInterface
  interface Writer {
    void to(OutputStream file) throws BackupException, IOException, InterruptedException;
  }

  /**
   * Makes the folder; one that is there must be empty.
   *
   * @throws BackupException when it cannot be used
   */
  void create() throws BackupException {
    try {
      if (Files.isDirectory(path)) {
        try (Stream<Path> files = Files.list(path)) {
          if (files.findAny().isPresent()) {
            throw new BackupException("directory \"" + path + "\" exists but is not empty");
          }
        }
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwx------"));
        return;
      }
      Files.createDirectories(
          path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } catch (IOException failed) {
      throw new BackupException("cannot create directory \"" + path + "\"", failed);
    }
  }

  /** Deletes what was written after {@link #create}. */
  void discard() {
    try (Stream<Path> files = Files.list(path)) {
      for (Path file : files.toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException failed) {
      // Without a manifest, what is left is no backup.
    }
  }

  /** Writes a new file to disk. */
  Manifest.StoredFile write(String name, Writer writer)
      throws BackupException, IOException, InterruptedException {
    MessageDigest digest = sha256();
    Path file = path.resolve(name);
    try (FileChannel channel =
        FileChannel.open(
            file,
            Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
      writer.to(new DigestOutputStream(Channels.newOutputStream(channel), digest));
      channel.force(true);
    }
    return new Manifest.StoredFile(
        name, Files.size(file), HexFormat.of().formatHex(digest.digest()));
  }

  /** Writes a value as JSON. */
  Manifest.StoredFile writeJson(String name, Object value)
      throws BackupException, IOException, InterruptedException {
    byte[] text = JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(value);
    return write(name, file -> file.write(text));
  }

  /** Makes it complete. */
  void finish(Manifest manifest) throws BackupException, IOException, InterruptedException {
    JsonNode content = JSON.valueToTree(manifest);
    ObjectNode whole = JSON.createObjectNode();
    whole.put("format", FORMAT);
    whole.put("sha256", checksum(content));
    whole.set("backup", content);
    writeJson(MANIFEST + ".new", whole);
    Files.move(
        path.resolve(MANIFEST + ".new"), path.resolve(MANIFEST), StandardCopyOption.ATOMIC_MOVE);
    try (FileChannel folder = FileChannel.open(path)) {
      folder.force(true);
    }
  }

  private static String checksum(JsonNode content) throws JsonProcessingException {
    return HexFormat.of().formatHex(sha256().digest(JSON.writeValueAsBytes(content)));
  }

  /**
   * Reads the manifest and looks whether everything is there as it was written.
   *
   * @throws BackupException when it is no backup, not complete, damaged, or of another version
   */
  Manifest verify() throws BackupException {
    Manifest manifest = readManifest();
    for (Manifest.Node node : manifest.nodes()) {
      verify(node.dump());
      verify(node.globals());
    }
    return manifest;
  }

  private Manifest readManifest() throws BackupException {
    try {
      JsonNode whole = JSON.readTree(path.resolve(MANIFEST).toFile());
      int format = whole.path("format").asInt();
      if (format != FORMAT) {
        throw new BackupException(
            "the backup has format " + format + ", this version reads " + FORMAT);
      }
      if (!checksum(whole.path("backup")).equals(whole.path("sha256").asText())) {
        throw new BackupException("\"" + MANIFEST + "\" is damaged: its checksum differs");
      }
      return JSON.treeToValue(whole.get("backup"), Manifest.class);
    } catch (JsonProcessingException notOurs) {
      throw new BackupException("\"" + MANIFEST + "\" is damaged: " + notOurs.getOriginalMessage());
    } catch (IOException missing) {
      throw new BackupException(
          "\"" + path + "\" is not a complete backup: cannot read " + MANIFEST, missing);
    }
  }

  private void verify(Manifest.StoredFile stored) throws BackupException {
    try {
      Path file = file(stored);
      MessageDigest digest = sha256();
      try (InputStream content = Files.newInputStream(file);
          OutputStream into = new DigestOutputStream(OutputStream.nullOutputStream(), digest)) {
        content.transferTo(into);
      }
      if (Files.size(file) != stored.size()
          || !HexFormat.of().formatHex(digest.digest()).equals(stored.sha256())) {
        throw new BackupException("\"" + stored.name() + "\" is damaged: its checksum differs");
      }
    } catch (NoSuchFileException missing) {
      throw new BackupException("\"" + stored.name() + "\" is missing");
    } catch (IOException failed) {
      throw new BackupException("cannot read \"" + stored.name() + "\"", failed);
    }
  }

  /** Where a file is. */
  Path file(Manifest.StoredFile stored) {
    return path.resolve(stored.name());
  }

  /** What a node has beside its dump. */
  Globals globals(Manifest.Node node) throws BackupException {
    try {
      return JSON.readValue(file(node.globals()).toFile(), Globals.class);
    } catch (IOException failed) {
      throw new BackupException("cannot read \"" + node.globals().name() + "\"", failed);
    }
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException never) {
      throw new IllegalStateException(never); // every Java has it
    }
  }
}
