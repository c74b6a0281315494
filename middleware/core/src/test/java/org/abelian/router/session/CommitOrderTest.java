package org.abelian.router.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.abelian.router.backend.Backend;
import org.abelian.router.backend.BackendParticipant;
import org.abelian.router.transaction.CommitRequest;
import org.abelian.router.transaction.Participant;
import org.junit.jupiter.api.Test;

class CommitOrderTest {
  private final CommitOrder order = new CommitOrder(false);

  private Backend node(int id, int lockedBy, boolean wrote) {
    Backend backend = new Backend(id, null);
    backend.lockedBy = lockedBy;
    backend.wrote = wrote;
    backend.holdsLocks = lockedBy != 0 && !wrote;
    order.add(backend, wrote);
    return backend;
  }

  private CommitRequest request() {
    return order.request(
        1, null, false, backend -> new BackendParticipant(backend.nodeId, backend.connection));
  }

  private static List<Integer> ids(List<Participant> nodes) {
    return nodes.stream().map(Participant::nodeId).toList();
  }

  @Test
  void whatWasLockedFirstIsLetGoLast() {
    node(1, 4, true);
    node(2, 7, true);
    node(3, 9, true);
    assertEquals(List.of(3, 2, 1), ids(request().writers()));
    assertEquals(List.of(1), ids(request().last()));
  }

  @Test
  void whereOnlyRowsAreInsertedDecides() {
    node(1, 4, true);
    node(2, 0, true);
    assertEquals(List.of(2, 1), ids(request().writers()));
    assertEquals(List.of(1), ids(request().last()));
  }

  @Test
  void nodesOfOneStatementAreToldTogether() {
    node(1, 4, true);
    node(2, 4, true);
    node(3, 4, true);
    assertEquals(List.of(3, 2, 1), ids(request().writers()));
    assertEquals(List.of(), ids(request().last()));
  }

  @Test
  void whatOneStatementLockedIsLetGoByWhatCameLater() {
    node(1, 4, true);
    node(2, 4, true).lockedLastBy = 5;
    node(3, 4, true);
    assertEquals(List.of(2, 3, 1), ids(request().writers()));
  }

  @Test
  void lockedRowsAreLetGoBehindChanges() {
    Backend locked = new Backend(1, null);
    locked.lockedBy = 9;
    order.add(locked, true); // It has a transaction id, as who locks rows has.
    node(2, 4, true);
    node(3, 5, true);
    assertEquals(List.of(3, 2, 1), ids(request().writers()));
    assertEquals(List.of(2, 1), ids(request().last()));
  }

  @Test
  void plainReadsHaveNothingToKeep() {
    node(1, 0, false);
    node(2, 1, false);
    node(3, 2, true);
    assertEquals(List.of(1), ids(request().readers()));
    assertEquals(List.of(2), ids(request().lockHolders()));
  }

  @Test
  void whereNothingHasChangedAllEndsTogether() {
    node(1, 3, false);
    node(2, 0, false);
    CommitRequest request = request();
    assertEquals(List.of(2, 1), ids(request.readers()));
    assertEquals(List.of(), ids(request.lockHolders()));
  }

  @Test
  void whatMayFailAtItsEndEndsFirst() {
    order.add(holding(2), false);
    node(3, 2, true);
    assertEquals(List.of(2), ids(request().readers()));
  }

  private static Backend holding(int id) {
    Backend backend = new Backend(id, null);
    backend.lockedBy = 1;
    backend.holdsLocks = true;
    backend.runsAtCommit = true;
    return backend;
  }

  @Test
  void whatCannotBePreparedDecides() {
    Backend notified = node(1, 1, true);
    node(2, 2, true);
    node(3, 3, true);
    notified.notifies = true;
    assertEquals(List.of(1, 3, 2), ids(request().writers()));
  }
}
