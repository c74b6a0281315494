package org.abelian.router.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.CopyDivision;
import org.abelian.router.execution.CopyFormat;
import org.abelian.router.execution.CopyKey;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.routing.Route;
import org.abelian.router.session.Progress;
import org.junit.jupiter.api.Test;

/** COPY FROM of lines whose first column is the number of their node. */
class CopyInExecutionTest extends ScriptedCluster {
  private static final String COPY = "COPY t FROM STDIN";
  private static final String FACTS =
      "{\"kind\": \"utility\", \"utility\": \"copy_from\", \"tag\": \"COPY\"}";
  private static final CopyFormat TEXT =
      new CopyFormat(
          false, (byte) '\t', "\\N".getBytes(StandardCharsets.US_ASCII), (byte) 0, (byte) 0, false);

  private void begin(CopyKey key) throws IOException {
    CopyDivision division = key == null ? null : new CopyDivision(TEXT, 2, new int[] {0}, key);
    Execution execution = bind(COPY, FACTS, new Route.CopyIn("t", List.of(1, 2, 3), division));
    assertEquals(Progress.SETTLE, execution.execute(0));
    backends.requestAnswers();
    replies.run();
  }

  private void send(String lines) {
    byte[] text = lines.getBytes(StandardCharsets.UTF_8);
    byte[] frame = new byte[text.length + 5];
    ByteBuffer.wrap(frame).put(FrontendType.COPY_DATA).putInt(text.length + 4).put(text);
    replies.copyIn().data(frame, 0, frame.length);
  }

  private void end() throws IOException {
    replies.copyIn().end(FrontendType.COPY_DONE, new byte[0], true);
    replies.copyIn().flush();
    replies.endCopyIn();
    replies.run();
    assertTrue(replies.isEmpty());
  }

  @Test
  void linesGoToTheNodesOfTheirKeysHoweverTheyAreSent() throws IOException {
    begin(key -> key[0].array()[key[0].start()] - '1');
    send("1\ta\n3");
    send("\tb\n1\tc\n");
    end();
    assertTrue(ran().contains("1: 1\ta\n1\tc"), ran().toString());
    assertTrue(ran().contains("3: 3\tb"), ran().toString());
    assertFalse(ran().stream().anyMatch(line -> line.startsWith("2: 2")), ran().toString());
    assertEquals(List.of("COPY 3"), told());
  }

  @Test
  void allNodesGetAllLinesOfAReferenceTableWhichCountOnce() throws IOException {
    begin(null);
    send("1\ta\n2\tb\n");
    end();
    for (int id = 1; id <= 3; id++) {
      assertTrue(ran().contains(id + ": 1\ta\n2\tb"), ran().toString());
    }
    assertEquals(List.of("COPY 2"), told());
  }

  @Test
  void aLineWithoutANodeEndsAllOfIt() throws IOException {
    begin(
        key -> {
          if (key[0] == null) {
            throw new AbelianException(SqlState.NOT_NULL_VIOLATION, "null value", null);
          }
          return 0;
        });
    send("1\ta\n\\N\tb\n1\tc\n");
    end();
    assertEquals(1, errors.size());
    assertTrue(errors.get(0).contains("null value"), errors.toString());
    assertEquals(List.of(), told());
  }

  @Test
  void whenANodeRefusesNobodyGetsLines() throws IOException {
    nodes.get(1).fail(COPY, "42501");
    begin(key -> 0);
    assertNull(replies.copyIn());
    assertEquals(List.of("42501"), errors);
  }
}
