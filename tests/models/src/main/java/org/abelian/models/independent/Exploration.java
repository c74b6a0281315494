package org.abelian.models.independent;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/** Goes through every state that a setting can reach, depth first, each once. */
public final class Exploration {
  /** What was found. */
  public record Result(Optional<String> violation, List<String> steps, long states, long ends) {}

  private static final class Frame {
    final Successors successors;
    int next;

    Frame(State state) {
      successors = new Successors(state);
      NodeSteps.add(successors);
      RouterSteps.add(successors);
      RecoverySteps.add(successors);
      CatchUpSteps.add(successors);
      CoordinatedSteps.add(successors);
    }
  }

  private final Setting setting;
  private final long statesMax;
  private final LongSet seen = new LongSet();
  private final Deque<Frame> path = new ArrayDeque<>();
  private long ends;

  /**
   * @param statesMax more than so many states are an error: the exploration would not be complete
   */
  public Exploration(Setting setting, long statesMax) {
    this.setting = setting;
    this.statesMax = statesMax;
  }

  /** Explores until everything is seen, or a promise is broken. */
  public Result run() {
    State initial = State.initial(setting);
    seen.add(initial.fingerprint());
    path.push(new Frame(initial));
    while (!path.isEmpty()) {
      Frame frame = path.peek();
      if (frame.next == frame.successors.size()) {
        path.pop();
        continue;
      }
      State next = frame.successors.state(frame.next++);
      if (seen.add(next.fingerprint())) {
        Optional<String> violation = enter(next);
        if (violation.isPresent()) {
          return new Result(violation, steps(), seen.size(), ends);
        }
      }
    }
    return new Result(Optional.empty(), List.of(), seen.size(), ends);
  }

  private Optional<String> enter(State state) {
    if (seen.size() > statesMax) {
      throw new IllegalStateException("more than " + statesMax + " states");
    }
    Optional<String> violation = Promises.broken(state);
    if (violation.isPresent()) {
      return violation;
    }
    Frame frame = new Frame(state);
    if (frame.successors.size() == 0) {
      ends++;
      return Promises.brokenAtTheEnd(state);
    }
    path.push(frame);
    return Optional.empty();
  }

  /** The way to the last state, in words. */
  private List<String> steps() {
    List<String> steps = new ArrayList<>();
    path.descendingIterator()
        .forEachRemaining(frame -> steps.add(frame.successors.step(frame.next - 1).toString()));
    return steps;
  }
}
