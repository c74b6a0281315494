package org.abelian.router.trace;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A folder with a bounded number of files of bounded size, which only their owner may read. One
 * router has it at a time; the next one goes on with the numbers of the files, and with the bound.
 * Not thread-safe.
 */
final class TraceFolder implements TraceSink {
  private static final Pattern NAME = Pattern.compile("trace-(\\d{10})\\.jsonl");
  private static final FileAttribute<Set<PosixFilePermission>> OWNERS_FILE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
  private static final FileAttribute<Set<PosixFilePermission>> OWNERS_FOLDER =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private final Path folder;
  private final long fileBytes;
  private final int files;
  private final FileChannel lock;
  private final ArrayDeque<Path> kept = new ArrayDeque<>();
  private long next = 1;
  private FileChannel current;
  private long size;

  /**
   * Takes the folder, which is made when it is not there.
   *
   * @throws IOException when another router has it, or it cannot be written to
   */
  TraceFolder(Path folder, long fileBytes, int files) throws IOException {
    this.folder = folder;
    this.fileBytes = fileBytes;
    this.files = files;
    if (!Files.isDirectory(folder)) {
      Files.createDirectories(folder, OWNERS_FOLDER);
    }
    lock =
        FileChannel.open(
            folder.resolve("trace.lock"),
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
            OWNERS_FILE);
    try {
      takeLock();
      findOld();
      open(); // What is wrong with the folder shall be known now.
    } catch (IOException e) {
      lock.close();
      throw e;
    }
  }

  private void takeLock() throws IOException {
    FileLock taken;
    try {
      taken = lock.tryLock();
    } catch (OverlappingFileLockException byThisProcess) {
      taken = null;
    }
    if (taken == null) {
      throw new IOException("another router traces into " + folder + "; each needs its own");
    }
  }

  private void findOld() throws IOException {
    List<Path> old;
    try (Stream<Path> all = Files.list(folder)) {
      old = all.filter(file -> number(file) > 0).sorted().toList();
    }
    kept.addAll(old);
    if (!old.isEmpty()) {
      next = number(old.get(old.size() - 1)) + 1;
    }
  }

  private static long number(Path file) {
    Matcher name = NAME.matcher(file.getFileName().toString());
    return name.matches() ? Long.parseLong(name.group(1)) : 0;
  }

  @Override
  public long most() {
    return fileBytes;
  }

  @Override
  public void write(byte[] lines, int length) throws IOException {
    if (current == null || size + length > fileBytes) {
      open();
    }
    try {
      ByteBuffer bytes = ByteBuffer.wrap(lines, 0, length);
      while (bytes.hasRemaining()) {
        current.write(bytes);
      }
      size += length;
    } catch (IOException e) {
      takeBack(e);
      throw e;
    }
  }

  /** Nothing of a write that failed stays, so that the next one begins a line. */
  private void takeBack(IOException cause) {
    try {
      current.truncate(size);
    } catch (IOException e) {
      cause.addSuppressed(e);
      closeCurrent();
    }
  }

  /** Begins the next file; the oldest make room for it. */
  private void open() throws IOException {
    closeCurrent();
    while (kept.size() >= files) {
      Files.deleteIfExists(kept.peek());
      kept.poll();
    }
    Path file = folder.resolve(String.format(Locale.ROOT, "trace-%010d.jsonl", next));
    current =
        FileChannel.open(
            file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), OWNERS_FILE);
    next++;
    size = 0;
    kept.add(file);
  }

  private void closeCurrent() {
    if (current != null) {
      try {
        current.close();
      } catch (IOException e) {
        // What was written is written.
      }
      current = null;
    }
  }

  @Override
  public void close() throws IOException {
    closeCurrent();
    lock.close();
  }
}
