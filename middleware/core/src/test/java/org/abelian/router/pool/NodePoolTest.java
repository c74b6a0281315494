package org.abelian.router.pool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.abelian.router.protocol.BackendType;
import org.abelian.router.protocol.ErrorFields;
import org.abelian.router.protocol.MemoryBudget;
import org.abelian.router.tls.NodeTls;
import org.abelian.router.tls.NodeTlsSettings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60) // a hang is a failure, not a wait
class NodePoolTest {
  private static final String FAREWELL = "SFATAL";

  private final AtomicLong now = new AtomicLong(5);
  private final Object session = new Object();
  private FakeNode node;
  private NodePools pools;
  private NodePool pool;

  @BeforeEach
  void open() throws IOException {
    node = new FakeNode();
    NodeIdentity identity = new NodeIdentity(Map.of("user", "test"), null);
    IoContext io = IoContext.of(MemoryBudget.unlimited(), new NodeTls(NodeTlsSettings.DEFAULT));
    pools =
        new NodePools(
            PoolLimits.DEFAULT,
            io.watch(),
            (address, as) -> NodeConnector.open(address, as, io),
            now::get);
    pool = pools.pool(node.address(), identity);
  }

  @AfterEach
  void close() throws IOException {
    pools.close();
    node.close();
  }

  private NodeConnection used() throws IOException {
    NodeConnection connection = pool.borrow(session, null);
    pool.giveBack(connection);
    return connection;
  }

  private void idle() {
    now.addAndGet(NodePool.TRUSTED_IDLE_NANOS);
  }

  @Test
  void aSessionKeepsItsConnectionHoweverLongItWasIdle() throws IOException {
    NodeConnection connection = used();
    idle();
    assertSame(connection, pool.borrow(session, connection));
    assertEquals(1, node.opened());
  }

  @Test
  void whatARestartLeftBehindIsReplacedBeforeItIsLent() throws IOException {
    NodeConnection connection = used();
    node.restart();
    idle();
    NodeConnection next = pool.borrow(session, connection);
    assertNotSame(connection, next);
    assertFalse(next.isLost());
    assertTrue(connection.isLost());
    assertEquals(1, pool.size());
  }

  @Test
  void everyConnectionThatARestartLeftBehindIsReplaced() throws IOException {
    NodeConnection one = pool.borrow(session, null);
    NodeConnection other = pool.borrow(new Object(), null);
    pool.giveBackToAnyone(one);
    pool.giveBackToAnyone(other);
    node.restart();
    idle();
    NodeConnection next = pool.borrow(new Object(), null);
    assertFalse(next.isLost());
    assertEquals(1, pool.size());
  }

  @Test
  void aFarewellIsUnderstoodAlsoAfterAWarning() throws IOException {
    NodeConnection connection = used();
    node.say(BackendType.NOTICE_RESPONSE, "SWARNING");
    node.say(BackendType.ERROR_RESPONSE, FAREWELL);
    idle();
    assertNotSame(connection, pool.borrow(session, connection));
  }

  @Test
  void aNodeThatSaysSomethingUnaskedIsStillThereAndKeepsBeingHeard() throws IOException {
    NodeConnection connection = used();
    node.say(BackendType.PARAMETER_STATUS, "TimeZone");
    idle();
    assertSame(connection, pool.borrow(session, connection));
    connection.awaitFrame();
    assertEquals(BackendType.PARAMETER_STATUS, connection.frameType());
  }

  @Test
  void aConnectionThatWasJustUsedIsLentWithoutALook() throws IOException {
    NodeConnection connection = used();
    node.restart();
    now.addAndGet(NodePool.TRUSTED_IDLE_NANOS - 1);
    assertSame(connection, pool.borrow(session, connection));
  }

  @Test
  void aLossEndsTheTrustInWhatWasIdleThen() throws IOException {
    NodeConnection one = pool.borrow(session, null);
    Object another = new Object();
    NodeConnection other = pool.borrow(another, null);
    pool.giveBack(other);
    node.restart();
    now.incrementAndGet();
    one.close();
    pool.drop(one);
    assertNotSame(other, pool.borrow(another, other));
  }

  @Test
  void aConnectionWhoseSessionEndedIsNotTrustedForThat() throws IOException {
    NodeConnection connection = used();
    node.restart();
    idle();
    pool.release(connection, session);
    assertNotSame(connection, pool.borrow(new Object(), null));
  }

  @Test
  void aNodeThatIsStartingUpCountsAsOneThatIsNotThere() {
    node.refuse(ErrorFields.of("FATAL", "57P03", "the database system is starting up"));
    assertThrows(NodeLostException.class, () -> pool.borrow(session, null));
    node.refuse(ErrorFields.of("FATAL", "28P01", "password authentication failed"));
    assertThrows(NodeRefusedException.class, () -> pool.borrow(session, null));
    assertEquals(0, pool.size());
  }
}
