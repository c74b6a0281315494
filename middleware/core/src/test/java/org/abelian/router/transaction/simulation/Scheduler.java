package org.abelian.router.transaction.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;

/** Runs actors on threads of which one moves at a time, and lets the choices say which. */
final class Scheduler {
  private static final int STEPS_MAX = 5_000;
  private static final ExecutorService THREADS =
      Executors.newCachedThreadPool(
          work -> {
            Thread thread = new Thread(work, "actor");
            thread.setDaemon(true);
            return thread;
          });

  private static final class Actor {
    final String name;
    final Semaphore go = new Semaphore(0);
    BooleanSupplier ready = () -> true;
    boolean killed;
    boolean finished;
    Throwable failure;

    Actor(String name) {
      this.name = name;
    }
  }

  private final Choices choices;
  private final World world;
  private final List<Actor> actors = new ArrayList<>();
  private final Semaphore parked = new Semaphore(0);
  private final ThreadLocal<Actor> self = new ThreadLocal<>();
  private final StringBuilder trace = new StringBuilder();
  private Actor last;

  Scheduler(Choices choices, World world) {
    this.choices = choices;
    this.world = world;
  }

  /** Adds an actor, which does nothing until it is chosen. */
  void spawn(String name, Runnable body) {
    Actor actor = new Actor(name);
    actors.add(actor);
    THREADS.execute(
        () -> {
          self.set(actor);
          actor.go.acquireUninterruptibly();
          try {
            if (!actor.killed) {
              body.run();
            }
          } catch (ActorKilled crashed) {
            // As intended.
          } catch (Throwable failed) {
            actor.failure = failed;
          }
          self.remove();
          actor.finished = true;
          parked.release();
        });
  }

  /**
   * Called by an actor: lets others move, and returns when it is chosen again, at the earliest when
   * it is ready.
   */
  void pass(BooleanSupplier ready) {
    Actor actor = self.get();
    actor.ready = ready;
    parked.release();
    actor.go.acquireUninterruptibly();
    if (actor.killed) {
      throw new ActorKilled();
    }
  }

  /** Crashes an actor at the place where it stands. */
  void kill(String name) {
    for (Actor actor : actors) {
      if (actor.name.equals(name) && !actor.finished) {
        actor.killed = true;
        actor.ready = () -> true;
        resume(actor);
      }
    }
  }

  boolean isRunning(String name) {
    return actors.stream().anyMatch(actor -> actor.name.equals(name) && !actor.finished);
  }

  /** Runs until every actor has finished and nothing is under way. */
  void run() {
    for (int step = 0; step < STEPS_MAX; step++) {
      List<Move> moves = moves();
      if (moves.isEmpty()) {
        if (actors.stream().allMatch(actor -> actor.finished)) {
          return;
        }
        throw new IllegalStateException("actors wait for nothing: " + trace);
      }
      Move move = moves.get(choices.choose(moves.size()));
      trace.append(move.name()).append("; ");
      move.action().run();
      for (Actor actor : actors) {
        if (actor.failure != null) {
          throw new IllegalStateException(actor.name + " failed: " + trace, actor.failure);
        }
      }
    }
    throw new IllegalStateException("no end: " + trace);
  }

  private List<Move> moves() {
    List<Move> moves = new ArrayList<>();
    if (last != null && !last.finished && last.ready.getAsBoolean()) {
      Actor current = last;
      moves.add(new Move(current.name, () -> resume(current)));
    }
    moves.addAll(world.naturalMoves());
    for (Actor actor : actors) {
      if (actor != last && !actor.finished && actor.ready.getAsBoolean()) {
        moves.add(new Move(actor.name, () -> resume(actor)));
      }
    }
    if (!moves.isEmpty()) {
      moves.addAll(world.faults());
    }
    return moves;
  }

  private void resume(Actor actor) {
    last = actor;
    actor.go.release();
    parked.acquireUninterruptibly();
  }

  /** What happened, in words. */
  String trace() {
    return trace.toString();
  }

  /** Ends the threads of a run that failed. */
  void abandon() {
    for (Actor actor : actors) {
      if (!actor.finished) {
        kill(actor.name);
      }
    }
  }
}
