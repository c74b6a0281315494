package org.abelian.router.transaction;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;

/** Three nodes, some of which answer nothing: a call to them takes as long as it may and fails. */
final class SlowNetwork implements ControlNetwork {
  /** Waiting for a connection and for an answer, as ControlPools bounds them. */
  private static final Duration CALL = Duration.ofMillis(5_500);

  final Map<Integer, Map<String, TransactionStatus>> outcomes = new HashMap<>();
  final Set<Gid> prepared = new HashSet<>();
  final Set<Gid> finished = new HashSet<>();
  private final FakeTime time;
  private final IntPredicate silent;

  /**
   * @param silent asked at each call, by node
   */
  SlowNetwork(FakeTime time, IntPredicate silent) {
    this.time = time;
    this.silent = silent;
  }

  private void reach(int node) throws NodeUnreachableException {
    if (silent.test(node)) {
      time.pause(CALL);
      throw new NodeUnreachableException(node, "no answer", null);
    }
  }

  @Override
  public List<Integer> nodes() {
    return List.of(1, 2, 3);
  }

  @Override
  public String describe(int node) {
    return "node " + node;
  }

  @Override
  public boolean settle(Gid gid) throws NodeUnreachableException {
    reach(gid.holder());
    return false;
  }

  @Override
  public Finish finish(int node, Gid gid, boolean commit) throws NodeUnreachableException {
    reach(node);
    finished.add(gid);
    return Finish.FINISHED;
  }

  @Override
  public List<Gid> stillPrepared(int node, Collection<Gid> gids) throws NodeUnreachableException {
    reach(node);
    return gids.stream().filter(prepared::contains).toList();
  }

  @Override
  public TransactionStatus outcome(int node, String token) throws NodeUnreachableException {
    reach(node);
    return outcomes.getOrDefault(node, Map.of()).getOrDefault(token, TransactionStatus.UNKNOWN);
  }

  @Override
  public List<Gid> prepared(int node, Duration olderThan, int limit) {
    throw new UnsupportedOperationException();
  }

  @Override
  public List<Gid> commitDecisions(int holder, Duration olderThan, int limit) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void forget(int holder, Collection<Gid> gids) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void forgetAborted(int holder, Duration olderThan) {
    throw new UnsupportedOperationException();
  }
}
