package org.abelian.router.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Something made from files, made anew when one of them has changed. What cannot be made anew stays
 * as it was: a certificate and its key are never replaced in the same moment. Safe for several
 * threads.
 */
final class WatchedFiles<T> {
  private static final Logger LOG = LoggerFactory.getLogger(WatchedFiles.class);

  /** How it is made. */
  @FunctionalInterface
  interface Maker<T> {
    T make() throws TlsException;
  }

  /**
   * What tells one content of a file from another without reading it; null when it is not there.
   */
  private record Stamp(FileTime modified, long size, Object key) {}

  private final String what;
  private final List<Path> files;
  private final Maker<T> maker;
  private List<Stamp> stamps;
  private T value;

  /**
   * @param what names it in the log
   * @param files they, or directories of them, need not exist
   */
  WatchedFiles(String what, List<Path> files, Maker<T> maker) {
    this.what = what;
    this.files = List.copyOf(files);
    this.maker = maker;
  }

  /**
   * What the files say now.
   *
   * @throws TlsException when it was never made and cannot be
   */
  synchronized T get() throws TlsException {
    // Taken before the files are read: what changes meanwhile is seen next time.
    List<Stamp> now = stamps();
    if (now.equals(stamps)) {
      return value;
    }
    try {
      boolean again = value != null;
      value = maker.make();
      stamps = now;
      if (again) {
        LOG.info("{} loaded again", what);
      }
    } catch (TlsException e) {
      if (value == null) {
        throw e;
      }
      stamps = now;
      LOG.warn("{} not loaded again, those before are kept: {}", what, e.getMessage());
    }
    return value;
  }

  private List<Stamp> stamps() {
    List<Stamp> result = new ArrayList<>(files.size());
    for (Path file : files) {
      result.add(stamp(file));
    }
    return result;
  }

  private static Stamp stamp(Path file) {
    try {
      BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
      return new Stamp(attributes.lastModifiedTime(), attributes.size(), attributes.fileKey());
    } catch (IOException e) {
      return null;
    }
  }
}
