package org.abelian.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.abelian.router.catalog.RouterVersion;
import org.junit.jupiter.api.Test;

class ServerVersionTest {
  @Test
  void theServerTellsItsVersion() throws IOException {
    StringWriter told = new StringWriter();
    int status =
        Main.commandLine(new String[0]).setOut(new PrintWriter(told, true)).execute("--version");
    assertEquals(0, status);
    assertEquals("abelian-server " + RouterVersion.current(), told.toString().strip());
  }
}
