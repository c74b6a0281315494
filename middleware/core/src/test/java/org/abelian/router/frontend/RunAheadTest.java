package org.abelian.router.frontend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.protocol.ByteQueue;
import org.junit.jupiter.api.Test;

/** Only a whole group that does nothing but run the bound portal counts as running it. */
class RunAheadTest {
  private final ByteArrayOutputStream sent = new ByteArrayOutputStream();

  private RunAhead ahead;

  @Test
  void executeAndSyncRunItToItsEnd() throws IOException {
    bind("").execute("", 0).message('S');
    look();
    assertTrue(ahead.runs());
    assertTrue(ahead.runsToEnd());
    assertFalse(ahead.describes());
  }

  @Test
  void aDescribeOfThePortalBeforeItCounts() throws IOException {
    bind("p").message('D', 'P', "p").execute("p", 0).message('S');
    look();
    assertTrue(ahead.runsToEnd());
    assertTrue(ahead.describes());
  }

  @Test
  void aRowLimitRunsItInPortions() throws IOException {
    bind("").execute("", 5).message('S');
    look();
    assertTrue(ahead.runs());
    assertFalse(ahead.runsToEnd());
  }

  @Test
  void nothingIsKnownBeforeTheSyncHasArrived() throws IOException {
    bind("").message('D', 'P', "").execute("", 0);
    look();
    assertNothing();
  }

  @Test
  void aMessageThatHasArrivedInPartIsNotThere() throws IOException {
    bind("").execute("", 0).message('S');
    byte[] all = sent.toByteArray();
    sent.reset();
    sent.write(all, 0, all.length - 1);
    look();
    assertNothing();
  }

  @Test
  void anotherMessageBehindTheExecuteIsMoreThanARun() throws IOException {
    bind("").execute("", 0).execute("", 0).message('S');
    look();
    assertNothing();
  }

  @Test
  void anotherPortalOrTheStatementIsNotThisPortal() throws IOException {
    bind("p").execute("q", 0).message('S');
    look();
    assertNothing();
    sent.reset();
    bind("p").message('D', 'S', "p").execute("p", 0).message('S');
    look();
    assertNothing();
  }

  @Test
  void theNextBindForgetsWhatTheLastOneSaw() throws IOException {
    bind("").message('D', 'P', "").execute("", 0).message('S');
    look();
    assertTrue(ahead.describes());
    BindMessage bind = new BindMessage();
    bind.look(sent.toByteArray(), 0);
    ahead.look(bind, sent.toByteArray(), sent.size());
    assertNothing();
  }

  private void assertNothing() {
    assertEquals(
        "false false false", ahead.runs() + " " + ahead.runsToEnd() + " " + ahead.describes());
  }

  /** Looks at all behind the first message, which is the Bind. */
  private void look() {
    ByteQueue input = ByteQueue.of(sent.toByteArray());
    BindMessage bind = new BindMessage();
    bind.look(input.array(), input.start());
    ahead = new RunAhead(input);
    ahead.look(bind, input.array(), input.start() + input.frameAt(input.start()));
  }

  /** A Bind of the unnamed statement without values. */
  private RunAheadTest bind(String portal) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    body.write((portal + "\0\0").getBytes(StandardCharsets.UTF_8));
    body.write(new byte[6]);
    return message('B', body.toByteArray());
  }

  private RunAheadTest execute(String portal, int limit) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    body.write((portal + "\0").getBytes(StandardCharsets.UTF_8));
    new DataOutputStream(body).writeInt(limit);
    return message('E', body.toByteArray());
  }

  private RunAheadTest message(char type, char kind, String name) throws IOException {
    return message(type, (kind + name + "\0").getBytes(StandardCharsets.UTF_8));
  }

  private RunAheadTest message(char type, byte... body) throws IOException {
    DataOutputStream out = new DataOutputStream(sent);
    out.writeByte(type);
    out.writeInt(body.length + 4);
    out.write(body);
    return this;
  }
}
