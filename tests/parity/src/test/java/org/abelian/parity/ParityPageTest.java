package org.abelian.parity;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ParityPageTest {
  @Test
  void thePageShowsTheBaselines() throws IOException {
    Path repository = Path.of("..", "..");
    String page = Files.readString(repository.resolve("docs/parity.md"));
    assertEquals(page, ParityTable.into(page, ParityTable.of(Path.of("baseline"))));
  }
}
