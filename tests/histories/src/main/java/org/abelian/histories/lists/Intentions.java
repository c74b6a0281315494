package org.abelian.histories.lists;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Generates what one client does. The same seed gives the same transactions. */
public final class Intentions {
  private static final int NAMES_PER_CLIENT = 100_000;

  private final Random random;
  private final Keys keys;
  private final List<Kind> kinds = new ArrayList<>();
  private int name;

  /**
   * Nothing generated yet.
   *
   * @param client the number of the client, from 1
   * @param kinds what is generated, each as often as its weight says
   */
  public Intentions(long seed, int client, Keys keys, Set<Kind> kinds) {
    this.random = new Random(seed * 1_000_003 + client);
    this.keys = keys;
    for (Kind kind : Kind.values()) {
      if (kinds.contains(kind)) {
        this.kinds.addAll(Collections.nCopies(kind.weight(), kind));
      }
    }
    name = client * NAMES_PER_CLIENT;
  }

  /** The next transaction. */
  public Intention next() {
    Kind kind = kinds.get(random.nextInt(kinds.size()));
    List<Integer> chosen =
        switch (kind.scope()) {
          case ONE_NODE -> ofOneNode(kind);
          case NODES -> ofNodes(kind == Kind.COMMUTING_CALL);
          case ALL -> keys.all();
        };
    boolean block = kind.isBlock() && kind != Kind.COMMUTING;
    List<Integer> alsoRead = new ArrayList<>();
    if (kind == Kind.COORDINATED && random.nextBoolean()) {
      alsoRead.addAll(keys.ofNode(random.nextInt(keys.nodes())));
      alsoRead.removeAll(chosen);
    }
    return new Intention(
        name++,
        kind,
        chosen,
        block && random.nextInt(4) == 0,
        kind.isBlock() && random.nextInt(8) == 0,
        alsoRead);
  }

  private List<Integer> ofOneNode(Kind kind) {
    List<Integer> chosen = new ArrayList<>(keys.ofNode(random.nextInt(keys.nodes())));
    Collections.shuffle(chosen, random);
    int count = kind == Kind.SINGLE_APPEND ? 1 : Math.min(2, chosen.size());
    return inOrder(chosen.subList(0, kind == Kind.SINGLE_READ ? 1 + random.nextInt(count) : count));
  }

  /** One key of each of two or more nodes, and sometimes a second one of the first. */
  private List<Integer> ofNodes(boolean onlyTwo) {
    List<Integer> nodes = new ArrayList<>();
    for (int node = 0; node < keys.nodes(); node++) {
      nodes.add(node);
    }
    Collections.shuffle(nodes, random);
    int count = onlyTwo ? 2 : 2 + random.nextInt(nodes.size() - 1);
    List<Integer> chosen = new ArrayList<>();
    for (int node : nodes.subList(0, count)) {
      List<Integer> there = keys.ofNode(node);
      chosen.add(there.get(random.nextInt(there.size())));
    }
    if (!onlyTwo && random.nextInt(3) == 0) {
      List<Integer> more = new ArrayList<>(keys.ofNode(nodes.get(0)));
      more.removeAll(chosen);
      more.stream().findFirst().ifPresent(chosen::add);
    }
    return inOrder(chosen);
  }

  /** Mostly sorted, since deadlocks take long; the rest as they come. */
  private List<Integer> inOrder(List<Integer> chosen) {
    List<Integer> result = new ArrayList<>(chosen);
    if (random.nextInt(10) != 0) {
      Collections.sort(result);
    }
    return result;
  }
}
