package org.abelian.router.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.abelian.router.analysis.MergeFacts;
import org.abelian.router.backend.Backend;
import org.abelian.router.batching.Batch;
import org.abelian.router.batching.BatchLimits;
import org.abelian.router.batching.Batcher;
import org.abelian.router.batching.InFlight;
import org.abelian.router.batching.Result;
import org.abelian.router.batching.Turn;
import org.abelian.router.routing.Route;
import org.junit.jupiter.api.Test;

/** Reads of several sessions, sent by one of them. */
class BatchedReadTest extends ScriptedCluster {
  private static final String[] READS = {"SELECT 1", "SELECT 2", "SELECT 3"};
  private static final String FACTS =
      "{\"kind\": \"select\", \"returns_rows\": true,"
          + " \"relations\": [{\"schema\": \"public\", \"name\": \"t\"}]}";

  private final List<ReadRequest> requests = new ArrayList<>();

  private List<Backend> backends(int count) {
    List<Backend> some = new ArrayList<>();
    for (int id = 1; id <= count; id++) {
      Backend backend = backends.backend(catalog, id);
      backends.connect(backend);
      some.add(backend);
    }
    return some;
  }

  /** All of them at once. */
  private Result run(int nodes) {
    Batcher<ReadBatch> batcher =
        new Batcher<>(new BatchLimits(1, 0, 10, 10, 0, 0, false, 0, 0), () -> 0);
    requests.clear();
    InFlight before = batcher.departAlone("");
    Turn<ReadBatch> leader = null;
    for (String sql : READS) {
      ReadRequest request = new ReadRequest(bound(sql, FACTS), false);
      requests.add(request);
      Turn<ReadBatch> turn = batcher.join("", new ReadBatch(request));
      leader = leader == null ? turn : leader;
    }
    before.end();
    Batch<ReadBatch> batch = leader.lead();
    assertEquals(READS.length, batch.size());
    return new BatchedRead(context, backends(nodes), batch.sum()).run(batch);
  }

  private List<String> toldOf(int request) throws IOException {
    replies.output().rewind(0);
    new SharedAnswer(replies, requests.get(request)).execute(0);
    replies.run();
    return told();
  }

  private void assertAnswered(boolean... answered) {
    for (int i = 0; i < answered.length; i++) {
      assertEquals(answered[i], requests.get(i).isAnswered(), READS[i]);
    }
  }

  private void answerAll(int nodes) {
    for (int id = 1; id <= nodes; id++) {
      for (String sql : READS) {
        nodes().get(id - 1).answer(sql, "SELECT", id + sql, id + "|b");
      }
    }
  }

  private List<ScriptedNode> nodes() {
    return nodes;
  }

  @Test
  void eachGetsItsOwnRows() throws IOException {
    answerAll(1);
    assertInstanceOf(Result.Done.class, run(1));
    for (int i = 0; i < READS.length; i++) {
      assertEquals(List.of("1" + READS[i], "1|b", "SELECT 2"), toldOf(i));
    }
    assertEquals(List.of("1: SELECT 1", "1: SELECT 2", "1: SELECT 3"), ran());
    run(1);
    assertEquals(List.of("1SELECT 3", "1|b", "SELECT 2"), toldOf(2), "by the same connection");
  }

  @Test
  void allAreRunAloneWhenOneFails() throws IOException {
    answerAll(1);
    nodes.get(0).fail(READS[1], "22012");
    assertInstanceOf(Result.Undone.class, run(1), "what an aborted transaction has seen is void");
    assertAnswered(false, false, false);
    assertFalse(requests.get(1).pace().isQuick(), "it is not tried again for a while");
    assertTrue(requests.get(0).pace().isQuick(), "it was not its fault");
    assertTrue(requests.get(2).pace().isQuick(), "nor this one's");
    nodes.get(0).answer(READS[1], "SELECT", "1");
    assertInstanceOf(Result.Done.class, run(1), "by the same connection");
  }

  @Test
  void whatGivesTooMuchIsRunAlone() {
    answerAll(1);
    nodes.get(0).answer(READS[0], "SELECT", "a".repeat(20_000), "b".repeat(20_000));
    nodes.get(0).answer(READS[1], "SELECT", "c".repeat(300_000), "d");
    run(1);
    assertAnswered(false, false, true);
    assertFalse(requests.get(0).pace().isQuick());
    assertFalse(requests.get(1).pace().isQuick());
  }

  @Test
  void allAreRunAloneWhenTheConnectionIsLost() {
    answerAll(1);
    nodes.get(0).leave(READS[2]);
    assertInstanceOf(Result.Undone.class, run(1));
    assertAnswered(false, false, false);
    nodes.get(0).answer(READS[2], "SELECT", "1");
    assertInstanceOf(Result.Done.class, run(1), "by another connection");
  }

  @Test
  void nothingIsSentOfReadsOfNodesOfWhichNothingIsKnown() {
    assertInstanceOf(Result.Undone.class, run(3));
    assertEquals(List.of(), ran());
  }

  private void learn() throws IOException {
    nodes.forEach(node -> node.shows("r 0 0 0"));
    bind("SELECT 0", FACTS, new Route.Scatter(List.of(1, 2, 3), rows())).execute(0);
    answer();
    endGroup();
    log.clear();
  }

  private static MergeFacts rows() {
    return merge(MergeFacts.Mode.CONCAT, null);
  }

  @Test
  void rowsOfSeveralNodesComeOneNodeAfterTheOther() throws IOException {
    learn();
    answerAll(3);
    assertInstanceOf(Result.Done.class, run(3));
    assertEquals(
        List.of("1SELECT 2", "1|b", "2SELECT 2", "2|b", "3SELECT 2", "3|b", "SELECT 6"), toldOf(1));
  }

  @Test
  void aReadThatSeesATransactionInPartIsRunAlone() throws IOException {
    learn();
    answerAll(3);
    nodes.get(0).shows("r 0 0 0", "r 1 1 0 vabelian:1:a-1/1,2");
    nodes.get(1).shows("r 0 0 0", "r 1 0 0 iabelian:1:a-1/1,2", "r 1 1 0 vabelian:1:a-1/1,2");
    nodes.get(2).shows("r 0 0 0");
    assertInstanceOf(Result.Done.class, run(3));
    assertAnswered(true, false, true);
  }
}
