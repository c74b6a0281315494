package org.abelian.server.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What a configuration file says. */
class ConfigFileTest {
  @TempDir private Path folder;

  @Command
  private static final class Settings {
    @Option(names = "--max-clients", defaultValue = "7")
    private String maxClients;

    @Option(names = {"--hba-file", "--hba_file"})
    private String hbaFile;
  }

  private ConfigFile read(String text) throws IOException {
    return ConfigFile.read(Files.writeString(folder.resolve("router.conf"), text));
  }

  private Settings parsed(String text, String... arguments) throws IOException {
    CommandLine line = new CommandLine(new Settings());
    ConfigFile file = read(text);
    file.check(line.getCommandSpec());
    line.setDefaultValueProvider(file);
    line.parseArgs(arguments);
    return line.getCommand();
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "max_clients = 20, 20",
        "max-clients=20, 20",
        "MAX_CLIENTS 20 # many, 20",
        "'', 7",
        "max_clients = '20', 20",
        "max_clients = 'it''s # 20'  # quoted, it's # 20",
        "  # max_clients = 1, 7",
        "max_clients = '', \"\"",
      })
  void linesAreThoseOfPostgresqlConf(String line, String value) throws IOException {
    assertEquals(value, parsed(line.equals("''") ? "" : line).maxClients);
  }

  @Test
  void theLastLineOfANameCountsAndTheCommandLineComesFirst() throws IOException {
    String text = "max_clients = 1\nmax-clients = 2\nhba_file = '/a b/pg_hba.conf'\n";
    assertEquals("2", parsed(text).maxClients);
    assertEquals("/a b/pg_hba.conf", parsed(text).hbaFile);
    assertEquals("3", parsed(text, "--max-clients", "3").maxClients);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"max_clients", "max_clients =", "= 3", "a = b c", "a = 'b", "a = b'c'd e"})
  void whatIsNoLineIsNamed(String line) {
    IOException error = assertThrows(IOException.class, () -> read("\n" + line + "\n"));
    assertTrue(error.getMessage().contains("line 2"), error.getMessage());
  }

  @Test
  void aNameThatIsNoSettingIsAnError() {
    IOException error = assertThrows(IOException.class, () -> parsed("max_klients = 1"));
    assertTrue(error.getMessage().contains("\"max_klients\""), error.getMessage());
  }
}
