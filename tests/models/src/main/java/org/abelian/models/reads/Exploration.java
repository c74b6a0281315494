package org.abelian.models.reads;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Goes through every state that a world can reach, each once. */
public final class Exploration {
  /**
   * What was found.
   *
   * @param broken a promise, and the step that breaks it; empty when all are kept
   * @param states how many there are
   * @param accepted how many reads were accepted that saw some transaction
   */
  public record Result(Optional<String> broken, int states, int accepted) {}

  private Exploration() {}

  /**
   * Explores until everything is seen, or a promise is broken.
   *
   * @param flaw null for the protocol as it is
   * @param statesMax more than so many states are an error: the exploration would not be complete
   */
  public static Result run(World world, Flaw flaw, int statesMax) {
    Set<String> seen = new HashSet<>();
    Deque<State> open = new ArrayDeque<>(List.of(new State(world)));
    int accepted = 0;
    while (!open.isEmpty()) {
      for (Steps.Step step : Steps.of(world, flaw, open.pop())) {
        if (step.broken().isPresent()) {
          return new Result(step.broken(), seen.size(), accepted);
        }
        accepted += step.name().endsWith("accepts") ? 1 : 0;
        if (seen.add(step.next().fingerprint())) {
          open.push(step.next());
        }
      }
      if (seen.size() > statesMax) {
        throw new IllegalStateException("more than " + statesMax + " states");
      }
    }
    return new Result(Optional.empty(), seen.size(), accepted);
  }
}
