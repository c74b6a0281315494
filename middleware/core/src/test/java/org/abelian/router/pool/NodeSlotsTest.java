package org.abelian.router.pool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.pool.NodeDialer.Dialled;
import org.abelian.router.protocol.MemoryBudget;
import org.abelian.router.tls.NodeTls;
import org.abelian.router.tls.NodeTlsSettings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One thread plays all sessions, so that every order of events is the test's own. */
@Timeout(60)
class NodeSlotsTest {
  private static final NodeAddress ADDRESS = new NodeAddress("node", 1);
  private static final int SESSIONS_MAX = 2;
  private static final PoolLimits LIMITS =
      new PoolLimits(SESSIONS_MAX + PoolLimits.RESERVED, 0, 1000);

  private final AtomicLong now = new AtomicLong(5);
  private final IoContext io =
      IoContext.of(MemoryBudget.unlimited(), new NodeTls(NodeTlsSettings.DEFAULT));
  private final List<Loopback> sockets = new ArrayList<>();
  private final NodeSlots slots = new NodeSlots(ADDRESS, LIMITS);
  private final NodePool one = pool("one", false);
  private final NodePool other = pool("other", false);
  private final NodePool routers = pool("router", true);
  private boolean refuse;

  private NodePool pool(String user, boolean routers) {
    NodeIdentity identity = new NodeIdentity(Map.of("user", user), null);
    return new NodePool(ADDRESS, identity, routers, slots, this::open, now::get);
  }

  private NodeConnection open(NodeAddress address, NodeIdentity identity) throws IOException {
    if (refuse) {
      throw new IOException("refused");
    }
    Loopback pair = Loopback.open();
    sockets.add(pair);
    NodeSocket socket = new NodeSocket(pair.router(), io.memory());
    return new NodeConnection(address, new Dialled(socket, socket, false, null), io);
  }

  @AfterEach
  void close() throws IOException {
    slots.close();
    io.watch().close();
    for (Loopback pair : sockets) {
      pair.close();
    }
  }

  private static NodeConnection borrow(NodePool pool) throws IOException {
    return pool.borrow(new Object(), null);
  }

  @Test
  void aConnectionThatComesBackWhileSomebodyBeginsToWaitIsHis() throws IOException {
    // Giving back has two halves: the connection becomes free, then who waits is served. Whoever
    // begins to wait before, between or after them gets it.
    for (int when = 0; when < 3; when++) {
      NodeConnection first = borrow(one);
      NodeConnection second = borrow(one);
      NodeSlots.Waiter waiter = when == 0 ? slots.enter(one.connections(), "late") : null;
      first.giveBack(true);
      waiter = when == 1 ? slots.enter(one.connections(), "late") : waiter;
      slots.freed();
      waiter = when == 2 ? slots.enter(one.connections(), "late") : waiter;
      assertTrue(waiter.done, "begins to wait at " + when);
      assertSame(first, waiter.connection);
      slots.leave(waiter);
      one.giveBackToAnyone(first);
      one.giveBackToAnyone(second);
    }
  }

  @Test
  void turnsAreInTheOrderOfComing() throws IOException {
    NodeConnection first = borrow(one);
    borrow(one);
    List<NodeSlots.Waiter> waiters = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      waiters.add(slots.enter((i % 2 == 0 ? one : other).connections(), "session " + i));
    }
    NodePool pool = one;
    NodeConnection given = first;
    for (int i = 0; i < waiters.size(); i++) {
      pool.giveBack(given);
      for (int j = 0; j < waiters.size(); j++) {
        assertEquals(j <= i, waiters.get(j).done, "session " + j + " after " + i);
      }
      NodeSlots.Waiter served = waiters.get(i);
      slots.leave(served);
      pool = served.pool == one.connections() ? one : other;
      if (served.connection == null) {
        given = open(ADDRESS, new NodeIdentity(Map.of("user", "x"), null));
        given.lend(served.session, true);
        slots.opened(served.pool, given);
      } else {
        given = served.connection;
      }
    }
  }

  @Test
  void whoHasNoneTakesTheOneThatNobodyHasUsedForLongest() throws IOException {
    Object busy = new Object();
    NodeConnection ofBusy = one.borrow(busy, null);
    NodeConnection ofIdle = borrow(one);
    one.giveBack(ofIdle);
    for (int i = 0; i < 3; i++) {
      now.incrementAndGet();
      one.giveBack(ofBusy);
      assertSame(ofBusy, one.borrow(busy, ofBusy));
    }
    now.incrementAndGet();
    one.giveBack(ofBusy);
    assertSame(ofIdle, borrow(one));
  }

  @Test
  void whoGaveOneBackDoesNotGetItBeforeThoseWhoWait() throws IOException {
    Object session = new Object();
    NodeConnection mine = one.borrow(session, null);
    borrow(one);
    NodeSlots.Waiter waiter = slots.enter(one.connections(), "another");
    one.giveBack(mine);
    assertSame(mine, waiter.connection);
    assertFalse(mine.lend(session, false));
  }

  @Test
  void allRolesTogetherHaveNoMoreThanTheNodesShare() throws IOException {
    NodeConnection first = borrow(one);
    borrow(other);
    assertEquals(SESSIONS_MAX, slots.size());
    AbelianException error = assertThrows(AbelianException.class, () -> borrow(other));
    assertEquals(SqlState.TOO_MANY_CONNECTIONS, error.state());
    one.giveBack(first);
    NodeConnection third = borrow(other);
    assertTrue(first.isLost(), "the free connection of one role made room for another's");
    assertNotSame(first, third);
    assertEquals(SESSIONS_MAX, slots.size());
  }

  @Test
  void whatTheRouterAsksItselfFindsAConnectionWhenSessionsHaveTheirs() throws IOException {
    borrow(one);
    borrow(other);
    for (int i = 0; i < PoolLimits.RESERVED; i++) {
      borrow(routers);
    }
    assertThrows(AbelianException.class, () -> borrow(routers));
    assertEquals(LIMITS.connectionsPerNode(), slots.size());
  }

  @Test
  void sessionsDoNotTakeWhatIsKeptForTheRouter() throws IOException {
    NodeConnection reserved = borrow(routers);
    routers.giveBack(reserved);
    borrow(one);
    borrow(one);
    assertThrows(AbelianException.class, () -> borrow(one));
    assertFalse(reserved.isLost());
  }

  @Test
  void theRouterComesBeforeThoseWhoWait() throws IOException {
    List<NodeConnection> all = new ArrayList<>();
    for (int i = 0; i < PoolLimits.RESERVED; i++) {
      borrow(routers);
    }
    all.add(borrow(one));
    all.add(borrow(one));
    NodeSlots.Waiter session = slots.enter(one.connections(), "session");
    NodeSlots.Waiter router = slots.enter(routers.connections(), "router");
    one.giveBack(all.get(0));
    assertTrue(router.done);
    assertNull(router.connection, "it is to open one in place of the free one");
    assertFalse(session.done);
  }

  @Test
  void anUnusedConnectionIsClosedAfterItsTimeAndAUsedOneIsNot() throws IOException {
    NodeConnection idle = borrow(one);
    NodeConnection used = borrow(one);
    NodeConnection lent = borrow(routers);
    one.giveBack(idle);
    one.giveBack(used);
    now.addAndGet(TimeUnit.MILLISECONDS.toNanos(LIMITS.idleMillis()) - 1);
    used.used(now.get());
    slots.closeIdle(now.get());
    assertFalse(idle.isLost());
    slots.closeIdle(now.incrementAndGet());
    assertTrue(idle.isLost());
    assertFalse(used.isLost());
    assertFalse(lent.isLost());
    assertEquals(2, slots.size());
  }

  @Test
  void aConnectionThatCannotBeOpenedLeavesItsPlaceToOthers() throws IOException {
    borrow(one);
    NodeSlots.Waiter opens = slots.enter(one.connections(), "unlucky");
    assertTrue(opens.done);
    NodeSlots.Waiter waits = slots.enter(one.connections(), "next");
    assertFalse(waits.done);
    slots.opened(one.connections(), null);
    assertTrue(waits.done);
    slots.leave(opens);
    slots.leave(waits);
    slots.opened(one.connections(), null);
    refuse = true;
    assertThrows(IOException.class, () -> borrow(one));
    assertEquals(1, slots.size());
  }

  @Test
  void aLostConnectionLeavesItsPlaceToOthers() throws IOException {
    NodeConnection lost = borrow(one);
    NodeConnection dropped = borrow(one);
    NodeSlots.Waiter first = slots.enter(one.connections(), "first");
    NodeSlots.Waiter second = slots.enter(one.connections(), "second");
    lost.close();
    one.giveBack(lost);
    assertTrue(first.done);
    assertFalse(second.done);
    one.drop(dropped);
    assertTrue(second.done);
  }

  /** Whatever happens in whatever order: bounds hold, and nobody waits beside a free connection. */
  @Test
  void noOrderOfEventsBreaksTheBoundsOrLeavesAWaiterBesideAFreeConnection() throws IOException {
    for (long seed = 0; seed < 200; seed++) {
      new Story(seed).play();
    }
  }

  private final class Story {
    private final Random random;
    private final String name;
    private final NodeSlots slots = new NodeSlots(ADDRESS, LIMITS);
    private final List<NodePool> pools = new ArrayList<>();
    private final List<NodeSlots.Waiter> waiting = new ArrayList<>();
    private final List<NodeSlots.Waiter> opening = new ArrayList<>();
    private final List<NodeSlots.Waiter> having = new ArrayList<>();

    Story(long seed) {
      random = new Random(seed);
      name = "seed " + seed;
      for (int i = 0; i < 3; i++) {
        NodeIdentity identity = new NodeIdentity(Map.of("user", "u" + i), null);
        pools.add(
            new NodePool(ADDRESS, identity, i == 2, slots, NodeSlotsTest.this::open, now::get));
      }
    }

    void play() throws IOException {
      for (int step = 0; step < 60; step++) {
        event();
        look();
      }
      slots.close();
    }

    private void event() throws IOException {
      switch (random.nextInt(6)) {
        case 0, 1 ->
            waiting.add(slots.enter(pools.get(random.nextInt(3)).connections(), new Object()));
        case 2 -> end(take(having), random.nextInt(4) == 0);
        case 3 -> opened(take(opening));
        case 4 -> {
          NodeSlots.Waiter waiter = take(waiting);
          if (waiter != null) {
            slots.leave(waiter);
          }
        }
        default -> {
          now.addAndGet(TimeUnit.MILLISECONDS.toNanos(random.nextInt(1500)));
          slots.closeIdle(now.get());
        }
      }
    }

    private <T> T take(List<T> list) {
      return list.isEmpty() ? null : list.remove(random.nextInt(list.size()));
    }

    private void end(NodeSlots.Waiter waiter, boolean broken) {
      if (waiter != null) {
        if (broken) {
          waiter.connection.close();
        }
        poolOf(waiter).giveBack(waiter.connection);
      }
    }

    private NodePool poolOf(NodeSlots.Waiter waiter) {
      return pools.stream().filter(pool -> pool.connections() == waiter.pool).findAny().get();
    }

    private void opened(NodeSlots.Waiter waiter) throws IOException {
      if (waiter == null) {
        return;
      }
      if (random.nextInt(3) == 0) {
        slots.opened(waiter.pool, null);
        return;
      }
      waiter.connection = open(ADDRESS, null);
      waiter.connection.lend(waiter.session, true);
      slots.opened(waiter.pool, waiter.connection);
      having.add(waiter);
    }

    private void look() {
      for (NodeSlots.Waiter waiter : List.copyOf(waiting)) {
        if (waiter.done) {
          waiting.remove(waiter);
          slots.leave(waiter);
          (waiter.connection == null ? opening : having).add(waiter);
        }
      }
      long bySessions = count(having, false) + count(opening, false);
      assertTrue(bySessions <= SESSIONS_MAX, name);
      assertTrue(slots.size() <= LIMITS.connectionsPerNode(), name);
      boolean routerWaits = waiting.stream().anyMatch(waiter -> poolOf(waiter) == pools.get(2));
      boolean sessionWaits = waiting.stream().anyMatch(waiter -> poolOf(waiter) != pools.get(2));
      int used = having.size() + opening.size();
      assertFalse(routerWaits && used < LIMITS.connectionsPerNode(), name);
      assertFalse(
          sessionWaits
              && bySessions < SESSIONS_MAX
              && !routerWaits
              && used < LIMITS.connectionsPerNode(),
          name);
    }

    private long count(List<NodeSlots.Waiter> list, boolean routers) {
      return list.stream().filter(waiter -> waiter.pool.isRouters() == routers).count();
    }
  }
}
