package org.abelian.workloads.measure;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Results as JSON files. */
public final class ResultFile {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private ResultFile() {}

  /** Writes a result; the file is whole or absent, never half. */
  public static void write(BenchResult result, Path file) throws IOException {
    Path target = file.toAbsolutePath();
    Files.createDirectories(target.getParent());
    Path partial = Files.createTempFile(target.getParent(), ".bench", ".json");
    try {
      Files.writeString(partial, JSON.writeValueAsString(result) + "\n");
      Files.move(partial, target, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(partial);
    }
  }

  /** Reads a result back. */
  public static BenchResult read(Path file) throws IOException {
    return JSON.readValue(file.toFile(), BenchResult.class);
  }
}
