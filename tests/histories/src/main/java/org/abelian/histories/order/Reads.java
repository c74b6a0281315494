package org.abelian.histories.order;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.abelian.histories.lists.Ending;
import org.abelian.histories.lists.Intention;
import org.abelian.histories.lists.ListHistory;
import org.abelian.histories.lists.Observation;
import org.abelian.histories.lists.Recorded;

/**
 * What each read must show whatever the order of transactions: a beginning of the list that stands
 * at the end, in which no transaction's numbers are divided, with everything that was acknowledged
 * before the read was sent; and where it shows marks, as many as the counter says, and of each
 * transaction all or none.
 */
final class Reads {
  private final ListHistory history;
  private final Effects effects;
  private final List<String> complaints;

  Reads(ListHistory history, Effects effects, List<String> complaints) {
    this.history = history;
    this.effects = effects;
    this.complaints = complaints;
  }

  void check() {
    for (Recorded transaction : history.transactions()) {
      // What was rolled back has shown lists with a number that nobody else ever sees.
      if (effects.isEffective(transaction.intention().name())) {
        transaction.shown().forEach((key, list) -> checkShown(transaction, key, list));
      }
      for (Observation observation : transaction.observations()) {
        observation.lists().forEach((key, list) -> checkBeginning(transaction, key, list));
        checkFresh(transaction, observation);
        checkMarks(transaction, observation);
      }
    }
    checkFresh(null, history.end());
  }

  private void checkBeginning(Recorded reader, int key, List<Long> list) {
    List<Long> end = effects.listAtEnd(key);
    if (list.size() > end.size() || !list.equals(end.subList(0, list.size()))) {
      complaints.add(
          "at key %d %s shows %s, which is no beginning of %s".formatted(key, reader, list, end));
    } else if (!list.isEmpty()
        && list.size() < end.size()
        && Intention.nameOf(list.get(list.size() - 1)) == Intention.nameOf(end.get(list.size()))
        && Intention.nameOf(end.get(list.size())) != reader.intention().name()) {
      complaints.add("in between: at key %d %s shows %s".formatted(key, reader, list));
    }
  }

  private void checkShown(Recorded transaction, int key, List<Long> list) {
    checkBeginning(transaction, key, list);
    if (list.isEmpty()
        || Intention.nameOf(list.get(list.size() - 1)) != transaction.intention().name()) {
      complaints.add("at key %d its own number is not the last: %s".formatted(key, transaction));
    }
  }

  private void checkFresh(Recorded reader, Observation observation) {
    for (Recorded writer : history.transactions()) {
      if (writer.ending() == Ending.COMMITTED && writer.answered() < observation.sent()) {
        for (int key : writer.intention().keys()) {
          if (misses(observation, writer, key)) {
            complaints.add("stale: %s does not show key %d of %s".formatted(reader, key, writer));
          }
        }
      }
    }
  }

  private static boolean misses(Observation observation, Recorded writer, int key) {
    long number = writer.intention().number();
    if (writer.marks()) {
      Observation.Counted counted = observation.counters().get(key);
      return counted != null && !counted.marks().contains(number);
    }
    List<Long> list = observation.lists().get(key);
    return writer.appends() && list != null && !list.contains(number);
  }

  private void checkMarks(Recorded reader, Observation observation) {
    Set<Integer> counted = new HashSet<>();
    for (Map.Entry<Integer, Observation.Counted> entry : observation.counters().entrySet()) {
      if (entry.getValue().count() != entry.getValue().marks().size()) {
        complaints.add("counter and marks differ at key %d: %s".formatted(entry.getKey(), reader));
      }
      entry.getValue().marks().forEach(number -> counted.add(Intention.nameOf(number)));
    }
    for (int name : counted) {
      Recorded writer = effects.transaction(name);
      if (writer == null || !effects.isEffective(name)) {
        complaints.add("%s shows a mark of %d, %s".formatted(reader, name, writer));
        continue;
      }
      for (int key : writer.intention().keys()) {
        if (misses(observation, writer, key)) {
          complaints.add("torn: %s misses key %d of %s".formatted(reader, key, writer));
        }
      }
    }
  }
}
