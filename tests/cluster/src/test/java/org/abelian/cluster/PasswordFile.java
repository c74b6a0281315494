package org.abelian.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file that holds a password, for programs that read it from one. */
final class PasswordFile {
  private PasswordFile() {}

  /** The path of a new one. */
  static String of(String password) {
    try {
      Path file = Files.createTempFile("abelian-password", "");
      Files.writeString(file, password + "\n");
      file.toFile().deleteOnExit();
      return file.toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
