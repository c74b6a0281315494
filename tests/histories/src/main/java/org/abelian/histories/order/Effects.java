package org.abelian.histories.order;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.abelian.histories.lists.Ending;
import org.abelian.histories.lists.Intention;
import org.abelian.histories.lists.ListHistory;
import org.abelian.histories.lists.Recorded;

/**
 * Which transactions have had effects, in which order at each key, as the last read shows; and what
 * is wrong with that: a transaction that has had some of its effects, or twice, or in spite of what
 * its client was told.
 */
final class Effects {
  private final ListHistory history;
  private final List<String> complaints;
  private final Map<Integer, Recorded> byName = new HashMap<>();
  private final Map<Integer, List<Integer>> order = new TreeMap<>();
  private final Set<Integer> effective = new HashSet<>();

  Effects(ListHistory history, List<String> complaints) {
    this.history = history;
    this.complaints = complaints;
    history.transactions().forEach(t -> byName.put(t.intention().name(), t));
    history.end().lists().forEach((key, list) -> order.put(key, namesIn("the end", key, list)));
    for (Recorded transaction : history.transactions()) {
      if (transaction.appends()) {
        checkWhole(transaction, numbersExpected(transaction.intention()), listsAtEnd());
      } else if (transaction.marks()) {
        checkWhole(transaction, marksExpected(transaction.intention()), marksAtEnd());
      }
    }
    checkCounters();
  }

  Recorded transaction(int name) {
    return byName.get(name);
  }

  /** The transactions that have appended to the key, in this order. */
  List<Integer> order(int key) {
    return order.getOrDefault(key, List.of());
  }

  Set<Integer> keys() {
    return order.keySet();
  }

  boolean isEffective(int name) {
    return effective.contains(name);
  }

  /** The numbers that stand at the key at the end. */
  List<Long> listAtEnd(int key) {
    return history.end().lists().getOrDefault(key, List.of());
  }

  /**
   * The names of those that have appended the numbers, each once where its numbers are adjacent.
   */
  List<Integer> namesIn(String where, int key, List<Long> list) {
    List<Integer> names = new ArrayList<>();
    Set<Long> seen = new HashSet<>();
    for (long number : list) {
      int name = Intention.nameOf(number);
      if (!seen.add(number)) {
        complaints.add("twice: " + number + " at key " + key + " in " + where);
      }
      if (!byName.containsKey(name)) {
        complaints.add("from nowhere: " + number + " at key " + key + " in " + where);
      } else if (names.isEmpty() || names.get(names.size() - 1) != name) {
        if (names.contains(name)) {
          complaints.add("not adjacent: the numbers of " + byName.get(name) + " at key " + key);
        }
        names.add(name);
      }
    }
    return names;
  }

  private Map<Integer, List<Long>> listsAtEnd() {
    return history.end().lists();
  }

  private Map<Integer, List<Long>> marksAtEnd() {
    Map<Integer, List<Long>> marks = new HashMap<>();
    history.end().counters().forEach((key, counted) -> marks.put(key, counted.marks()));
    return marks;
  }

  private static Map<Integer, List<Long>> numbersExpected(Intention intention) {
    Map<Integer, List<Long>> numbers = new HashMap<>();
    for (int key : intention.keys()) {
      boolean two = intention.twice() && key == intention.keys().get(0);
      numbers.put(
          key,
          two
              ? List.of(intention.number(), intention.secondNumber())
              : List.of(intention.number()));
    }
    return numbers;
  }

  private static Map<Integer, List<Long>> marksExpected(Intention intention) {
    Map<Integer, List<Long>> marks = new HashMap<>();
    intention.keys().forEach(key -> marks.put(key, List.of(intention.number())));
    return marks;
  }

  private void checkWhole(
      Recorded transaction, Map<Integer, List<Long>> expected, Map<Integer, List<Long>> found) {
    int name = transaction.intention().name();
    int there = 0;
    for (Map.Entry<Integer, List<Long>> entry : expected.entrySet()) {
      List<Long> mine =
          found.getOrDefault(entry.getKey(), List.of()).stream()
              .filter(number -> Intention.nameOf(number) == name)
              .toList();
      if (!mine.isEmpty()) {
        there++;
      }
      // What stands there twice is complained about where it stands.
      if (!mine.isEmpty() && !mine.stream().distinct().toList().equals(entry.getValue())) {
        complaints.add("at key " + entry.getKey() + " stand " + mine + " of " + transaction);
      }
    }
    if (there > 0 && there < expected.size()) {
      complaints.add("torn: " + there + " of its keys have the effects of " + transaction);
    } else if (there == 0 && transaction.ending().isCommitted()) {
      complaints.add("lost: " + transaction);
    } else if (there > 0 && transaction.ending() == Ending.ROLLED_BACK) {
      complaints.add("rolled back, but there: " + transaction);
    }
    if (there > 0) {
      effective.add(name);
    }
  }

  private void checkCounters() {
    history
        .end()
        .counters()
        .forEach(
            (key, counted) -> {
              if (counted.count() != counted.marks().size()) {
                complaints.add("the counter at key " + key + " and its marks differ: " + counted);
              }
              namesInMarks(key, counted.marks());
            });
  }

  private void namesInMarks(int key, List<Long> marks) {
    if (new HashSet<>(marks).size() < marks.size()) {
      complaints.add("marked twice at key " + key + ": " + marks);
    }
    for (long mark : marks) {
      if (!byName.containsKey(Intention.nameOf(mark))) {
        complaints.add("a mark from nowhere at key " + key + ": " + mark);
      }
    }
  }
}
