package org.abelian.router.catalog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.junit.jupiter.api.Test;

class CatalogStoreTest {
  private static final Node SEED_A = new Node(0, "a", 1);
  private static final Node SEED_B = new Node(0, "b", 1);

  private final Map<String, String> answers = new HashMap<>();
  private final List<String> asked = Collections.synchronizedList(new ArrayList<>());
  private final CatalogStore store = new CatalogStore(this::read, List.of(SEED_A, SEED_B));

  private final CountDownLatch hung = new CountDownLatch(1);

  private void pause() {
    try {
      hung.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private String read(Node node) throws IOException {
    if (node.host().equals("hung")) {
      pause();
    }
    asked.add(node.host());
    String answer = answers.get(node.host());
    if (answer == null) {
      throw new IOException("connection refused");
    }
    return answer;
  }

  @Test
  void anyNodeThatAnswersIsEnough() {
    answers.put("b", catalogue(4, "b"));
    assertEquals(4, store.current().version());
    assertEquals(Set.of("a", "b"), Set.copyOf(asked));
    store.current();
    assertEquals(2, asked.size(), "a second call needs no node");
  }

  @Test
  void theNewestCatalogueOfAllNodesWins() {
    answers.put("a", catalogue(4, "a", "c"));
    answers.put("c", catalogue(5, "a", "c"));
    assertEquals(5, store.current().version());
  }

  @Test
  void aRefreshForAnOldVersionNeedsNoNode() {
    answers.put("a", catalogue(4, "a"));
    Catalog known = store.current();
    assertSame(known, store.refresh(3));
    assertEquals(1, Collections.frequency(asked, "a"));
    answers.put("a", catalogue(6, "a"));
    assertEquals(6, store.refresh(4).version());
  }

  @Test
  void aNodeThatLagsBehindTakesNothingBack() {
    answers.put("a", catalogue(6, "a"));
    store.current();
    answers.put("a", catalogue(4, "a"));
    assertEquals(6, store.refresh(6).version());
  }

  @Test
  void aNodeThatNeverAnswersHoldsNobodyUp() {
    answers.put("a", catalogue(4, "a", "hung"));
    answers.put("hung", catalogue(5, "a", "hung"));
    assertEquals(4, store.current().version());
    hung.countDown();
  }

  @Test
  void nodesThatContradictEachOtherAreReported() {
    answers.put("a", catalogue(4, "a", "c"));
    answers.put("c", catalogue(4, "a", "d"));
    AbelianException error = assertThrows(AbelianException.class, store::current);
    assertEquals(SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE, error.state());
  }

  @Test
  void whenNoNodeAnswersTheErrorNamesEach() {
    AbelianException error = assertThrows(AbelianException.class, store::current);
    assertEquals(SqlState.UNABLE_TO_CONNECT, error.state());
    assertTrue(error.detail().contains("a:1: connection refused"), error.detail());
    assertTrue(error.detail().contains("b:1: connection refused"), error.detail());
  }

  private static String catalogue(long version, String... hosts) {
    List<String> nodes = new ArrayList<>();
    for (String host : hosts) {
      nodes.add("{\"id\": %d, \"host\": \"%s\", \"port\": 1}".formatted(nodes.size() + 1, host));
    }
    return "{\"version\": %d, \"nodes\": %s, \"tables\": [], \"colocations\": []}"
        .formatted(version, nodes);
  }
}
