package org.abelian.advisor.files;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.abelian.advisor.AdvisorException;

/** Records as JSON files. Fields that a reader does not know are left alone. */
public final class JsonFile {
  private static final ObjectMapper MAPPER =
      new ObjectMapper()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

  private JsonFile() {}

  /** Writes a record. */
  public static void write(Path file, Object content) {
    try {
      MAPPER.writeValue(file.toFile(), content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Reads a record.
   *
   * @throws AdvisorException when the file is not there or is something else
   */
  public static <T> T read(Path file, Class<T> type) {
    if (!Files.exists(file)) {
      throw new AdvisorException(file + " does not exist: run the phase that writes it first");
    }
    try {
      return MAPPER.readValue(file.toFile(), type);
    } catch (JsonProcessingException e) {
      throw new AdvisorException(
          file + " is not what this program writes: " + e.getOriginalMessage(), e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
