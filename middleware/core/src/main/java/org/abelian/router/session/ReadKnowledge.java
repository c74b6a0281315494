package org.abelian.router.session;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Set;

/**
 * What a router knows, before a read of certain nodes begins, about transactions that commit on
 * several of them (docs/protocols/reads.md). On each node it has been told of all that have passed
 * the gate up to a number, and these are over there. Of those it keeps the ones that it has not
 * been shown by all of their nodes. So what the nodes tell of the read's own snapshots, of the
 * transactions beyond those numbers, is enough to say whether one is seen on one node and not on
 * another. Immutable.
 */
public final class ReadKnowledge {
  /** More transactions than this are not kept: the next read begins anew behind the gate. */
  private static final int HALVES_MAX = 1024;

  /** What the answers to a read say. */
  public enum Verdict {
    /** Every transaction is seen wholly or not at all. */
    WHOLE,
    /**
     * Some are seen in part. Where they are not, they had done all of their work before the
     * snapshot was taken: it may be completed by them.
     */
    COMPLETABLE,
    /** One is seen in part, and will be seen wholly soon. */
    TORN,
    /** One that is under way, or has just ended, also has nodes that were not asked. */
    REACHES_OUT,
    /**
     * The lanes are at rest at different timestamps. Once they have all come to the greatest, the
     * read may be taken anew.
     */
    UNEVEN,
    /** Independent transactions are under way. */
    UNORDERED,
    /** They do not say enough. */
    UNKNOWN;

    /** True when a transaction was met that is, or may be, seen in part. */
    public boolean isHalfWay() {
      return this == COMPLETABLE || this == TORN || this == REACHES_OUT;
    }

    /** True when snapshots that are taken anew in the same way will not do either. */
    public boolean isHopeless() {
      return this == UNKNOWN || this == UNORDERED;
    }
  }

  /**
   * A verdict.
   *
   * @param next what is known from then on; null when nothing can be learned
   * @param missing by which transactions the snapshot of each node may be completed, ascending, in
   *     the nodes' order; empty unless that is the verdict
   * @param lane the greatest timestamp of the lanes; 0 unless they are at rest, and differ
   * @param outside nodes that were not asked of transactions that were met
   */
  public record Judgement(
      Verdict verdict,
      ReadKnowledge next,
      List<List<Integer>> missing,
      long lane,
      Set<Integer> outside) {
    /** Of snapshots that may not be mended. */
    public Judgement(Verdict verdict, ReadKnowledge next) {
      this(verdict, next, List.of(), 0, Set.of());
    }
  }

  private static final Judgement UNKNOWN = new Judgement(Verdict.UNKNOWN, null);

  private final List<Integer> nodes;
  private final List<String> runs;
  private final List<Long> over;

  /** What a node tells of which nothing is new, up to the timestamp of its lane. */
  private final List<String> quiet;

  /** Where a transaction has been seen that has not been seen on all of its nodes. */
  private final Map<String, Set<Integer>> halves;

  private ReadKnowledge(
      List<Integer> nodes, List<String> runs, List<Long> over, Map<String, Set<Integer>> halves) {
    this.nodes = nodes;
    this.runs = runs;
    this.over = over;
    this.halves = halves;
    quiet = new ArrayList<>(nodes.size());
    for (int place = 0; place < nodes.size(); place++) {
      quiet.add(runs.get(place) + " " + over.get(place) + " " + over.get(place) + " ");
    }
  }

  /**
   * True when the nodes tell, word for word, that nobody has passed their gates since this was
   * known, and that all their lanes are at rest at one timestamp: then what they show is whole.
   *
   * @param told the nodes' words in their order; null where one has told nothing
   */
  public boolean isStill(List<String> told) {
    if (!halves.isEmpty()) {
      return false;
    }
    String lane = null;
    for (int place = 0; place < told.size(); place++) {
      String words = told.get(place);
      if (words == null || !words.startsWith(quiet.get(place))) {
        return false;
      }
      int at = quiet.get(place).length();
      if (lane == null) {
        lane = words.substring(at);
      }
      if (words.length() != at + lane.length() || !words.endsWith(lane)) {
        return false;
      }
    }
    return lane != null && lane.indexOf(' ') < 0 && !lane.startsWith("-");
  }

  /**
   * What is known when all nodes have told of snapshots taken while nobody else had their gates.
   *
   * @return null when nothing is
   */
  public static ReadKnowledge behindGates(List<Integer> nodes, List<ReadEvidence> evidence) {
    List<String> runs = new ArrayList<>();
    List<Long> over = new ArrayList<>();
    for (ReadEvidence one : evidence) {
      if (one == null || one.over() != one.last()) {
        return null;
      }
      runs.add(one.run());
      over.add(one.over());
    }
    return new ReadKnowledge(List.copyOf(nodes), runs, over, Map.of());
  }

  /**
   * What this says of some of the nodes: what was seen on all participants among the nodes, was on
   * those among some of them.
   */
  ReadKnowledge of(List<Integer> some) {
    List<Integer> places = some.stream().map(nodes::indexOf).toList();
    Map<String, Set<Integer>> there = new HashMap<>();
    halves.forEach(
        (name, where) -> {
          Set<Integer> left = new HashSet<>(where);
          left.retainAll(some);
          if (!left.isEmpty()) {
            there.put(name, Set.copyOf(left));
          }
        });
    return new ReadKnowledge(
        List.copyOf(some),
        places.stream().map(runs::get).toList(),
        places.stream().map(over::get).toList(),
        Map.copyOf(there));
  }

  /** True when it begins, on the nodes of the other, where that does. */
  boolean beginsAs(ReadKnowledge other) {
    for (int place = 0; place < other.nodes.size(); place++) {
      int here = nodes.indexOf(other.nodes.get(place));
      if (here < 0
          || !runs.get(here).equals(other.runs.get(place))
          || !over.get(here).equals(other.over.get(place))) {
        return false;
      }
    }
    return true;
  }

  /** The run of a node, by its place in the list. */
  public String run(int place) {
    return runs.get(place);
  }

  /** Up to which number nothing of a node need be told, by its place in the list. */
  public long over(int place) {
    return over.get(place);
  }

  /**
   * Judges a read that began after all of this was known, by what its nodes tell in their order.
   *
   * @param inTurn whether it has a place of its own among independent transactions
   */
  public Judgement judge(List<ReadEvidence> evidence, boolean inTurn) {
    for (int place = 0; place < nodes.size(); place++) {
      ReadEvidence one = evidence.get(place);
      if (one == null
          || !one.run().equals(runs.get(place))
          || one.passages().stream().anyMatch(p -> p.sight() == ReadEvidence.Sight.UNKNOWN)) {
        return UNKNOWN;
      }
    }
    return new Round(evidence).judge(inTurn);
  }

  /** The answers to one read. */
  private final class Round {
    private final List<ReadEvidence> evidence;
    private final Map<String, List<Integer>> participants = new HashMap<>();
    private final Map<String, Set<Integer>> seen = new HashMap<>();
    private final Set<String> toldAgain = new HashSet<>();
    private final Map<String, Map<Integer, Integer>> ready = new HashMap<>();

    /**
     * Somebody is not seen who has a timestamp, perhaps one that is less than that of one who is.
     * Others have none, and what comes after them on their nodes, all of them read, is not seen
     * either, or gets a greater one.
     */
    private boolean isPending;

    /**
     * The nodes that were not asked of those that are under way, or have just ended. There such a
     * one may come before one that is seen, and nobody here would know.
     */
    private final Set<Integer> outside = new HashSet<>();

    Round(List<ReadEvidence> evidence) {
      this.evidence = evidence;
      halves.forEach((name, where) -> seen.put(name, new HashSet<>(where)));
      halves.keySet().forEach(name -> participants.put(name, ReadEvidence.nodes(name)));
      for (int place = 0; place < nodes.size(); place++) {
        for (ReadEvidence.Passage passage : evidence.get(place).passages()) {
          add(nodes.get(place), passage);
        }
      }
    }

    private void add(int node, ReadEvidence.Passage passage) {
      boolean known = halves.getOrDefault(passage.name(), Set.of()).contains(node);
      if (!known) {
        passage.nodes().stream().filter(one -> !nodes.contains(one)).forEach(outside::add);
      }
      if (passage.sight() == ReadEvidence.Sight.READY) {
        ready.computeIfAbsent(passage.name(), any -> new HashMap<>()).put(node, passage.number());
      }
      if (!passage.isSeen()) {
        isPending |= passage.sight() == ReadEvidence.Sight.PENDING;
        return;
      }
      participants.put(passage.name(), passage.nodes());
      seen.computeIfAbsent(passage.name(), any -> new HashSet<>()).add(node);
      if (passage.sight() == ReadEvidence.Sight.SEEN_AGAIN) {
        toldAgain.add(passage.name());
      }
    }

    Judgement judge(boolean inTurn) {
      Map<String, Set<Integer>> left = new HashMap<>();
      Missing missing = new Missing();
      for (Map.Entry<String, Set<Integer>> entry : seen.entrySet()) {
        String name = entry.getKey();
        boolean whole = missing.areNone(name, entry.getValue());
        if (!whole || toldAgain.contains(name)) {
          left.put(name, Set.copyOf(entry.getValue()));
        }
      }
      if (left.size() > HALVES_MAX) {
        return UNKNOWN;
      }
      List<Long> ended = evidence.stream().map(ReadEvidence::over).toList();
      ReadKnowledge next = new ReadKnowledge(nodes, runs, ended, Map.copyOf(left));
      Judgement lanes = lanes(inTurn, next);
      if (lanes != null) {
        return lanes;
      }
      boolean isTorn = missing.isTorn || !inTurn && isPending && evidence.get(0).lane() > 0;
      boolean reachesOut = !inTurn && !outside.isEmpty();
      if (isTorn || reachesOut) {
        Verdict verdict = isTorn ? Verdict.TORN : Verdict.REACHES_OUT;
        Set<Integer> others = reachesOut ? Set.copyOf(outside) : Set.of();
        return new Judgement(verdict, next, List.of(), 0, others);
      }
      return missing.count > 0
          ? new Judgement(Verdict.COMPLETABLE, next, missing.ordered(), 0, Set.of())
          : new Judgement(Verdict.WHOLE, next);
    }

    /** Where transactions are missing that are seen elsewhere. */
    private final class Missing {
      /** Of those by which the snapshots may be completed, in the nodes' order. */
      private final List<List<Integer>> numbers =
          nodes.stream().<List<Integer>>map(node -> new ArrayList<>()).toList();

      private int count;

      /** One is missing by which a snapshot may not be completed. */
      private boolean isTorn;

      List<List<Integer>> ordered() {
        return numbers.stream().map(some -> some.stream().sorted().toList()).toList();
      }

      /** Whether one is seen on all of its nodes. */
      boolean areNone(String name, Set<Integer> where) {
        boolean none = true;
        Map<Integer, Integer> there = ready.getOrDefault(name, Map.of());
        for (int node : participants.get(name)) {
          int place = nodes.indexOf(node);
          if (place < 0 || where.contains(node)) {
            continue;
          }
          none = false;
          isTorn |= !there.containsKey(node);
          if (there.containsKey(node)) {
            numbers.get(place).add(there.get(node));
            count++;
          }
        }
        return none;
      }
    }

    /**
     * Independent transactions have a place among all others by their timestamps: what comes after
     * the read on one node must get a greater one than what comes before it on another. So it is in
     * the read's turn, where all lanes tell its timestamp, or while all rest at the same.
     *
     * @return null where they do
     */
    private Judgement lanes(boolean inTurn, ReadKnowledge next) {
      LongSummaryStatistics lanes =
          evidence.stream().mapToLong(ReadEvidence::lane).summaryStatistics();
      if (lanes.getMin() < 0) {
        return new Judgement(Verdict.UNORDERED, next);
      }
      if (lanes.getMin() < lanes.getMax()) {
        return inTurn
            ? new Judgement(Verdict.UNORDERED, next)
            : new Judgement(Verdict.UNEVEN, next, List.of(), lanes.getMax(), Set.of());
      }
      return null;
    }
  }
}
