package org.abelian.parity;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What a script printed, cut into the output of each of its parts. */
final class Transcript {
  private Transcript() {}

  /**
   * The output of each statement. The echoed lines are found in their order; what stands between
   * two of them belongs to the statement that the first of them ends. A line that is not there (the
   * session was lost, or echoing was off) is passed over; a statement of which no line is there has
   * null for an output.
   */
  static List<List<String>> ofStatements(PsqlScript script, List<String> output) {
    List<List<String>> answers = new ArrayList<>();
    for (int i = 0; i <= script.statements().size(); i++) {
      answers.add(null);
    }
    answers.set(0, new ArrayList<>());
    Map<String, Integer> lastPlace = new HashMap<>();
    for (int i = 0; i < output.size(); i++) {
      lastPlace.put(output.get(i), i);
    }
    List<PsqlScript.EchoedLine> echoed = script.echoed();
    int next = 0;
    int current = 0;
    for (int i = 0; i < output.size(); i++) {
      while (next < echoed.size() && lastPlace.getOrDefault(echoed.get(next).text(), -1) < i) {
        next++;
      }
      if (next < echoed.size() && echoed.get(next).text().equals(output.get(i))) {
        current = echoed.get(next).statement();
        next++;
        if (answers.get(current) == null) {
          answers.set(current, new ArrayList<>());
        }
      } else {
        answers.get(current).add(output.get(i));
      }
    }
    return answers;
  }

  /** What isolationtester printed for each permutation; first what stands before all of them. */
  static List<List<String>> ofPermutations(List<String> output) {
    List<List<String>> permutations = new ArrayList<>();
    permutations.add(new ArrayList<>());
    for (String line : output) {
      if (line.startsWith("starting permutation:")) {
        permutations.add(new ArrayList<>());
      }
      permutations.get(permutations.size() - 1).add(line);
    }
    return permutations;
  }
}
