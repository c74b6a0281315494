package org.abelian.histories;

import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;
import org.abelian.histories.check.Checker;
import org.abelian.histories.check.Needless;
import org.abelian.histories.check.Reads;
import org.abelian.histories.check.Verdict;
import org.abelian.histories.program.Generator;
import org.abelian.histories.program.Level;
import org.abelian.histories.program.Program;
import org.abelian.histories.run.ClientFactory;
import org.abelian.histories.run.History;
import org.abelian.histories.run.Laboratory;
import org.abelian.histories.run.Report;
import org.abelian.histories.run.Schedule;
import org.abelian.histories.run.SteppedSchedule;
import org.abelian.histories.run.UnexpectedErrorException;

/** Runs programs from consecutive seeds and counts what the checker says. */
final class Trial {
  private final Laboratory laboratory;
  private final Schedule schedule;
  private final ClientFactory clients;
  private final Reads reads;
  private int committed;
  private int aborted;
  private int undecided;
  private int legal;
  private String complaint;
  private Program failing;
  private boolean unexpected;
  private boolean tolerant;
  private int needless;

  Trial(Laboratory laboratory, Schedule schedule, ClientFactory clients, Reads reads) {
    this.laboratory = laboratory;
    this.schedule = schedule;
    this.clients = clients;
    this.reads = reads;
  }

  /** Only counts errors that plain columns do not have. */
  Trial tolerant() {
    tolerant = true;
    return this;
  }

  /** Runs until a history is illegal; returns whether one was. */
  boolean findsIllegal(Level level, long firstSeed, int count) throws SQLException {
    return findsIllegal(seed -> Generator.generate(seed, level), firstSeed, count);
  }

  /** The same with programs of another generator. Errors that plain columns do not have count. */
  boolean findsIllegal(LongFunction<Program> generator, long firstSeed, int count)
      throws SQLException {
    for (long seed = firstSeed; seed < firstSeed + count; seed++) {
      Program program = generator.apply(seed);
      Optional<String> found = run(program, schedule);
      if (found.isPresent()) {
        complaint = found.get();
        failing = program;
        return true;
      }
      legal++;
    }
    return false;
  }

  /** Replaces the complaint by one about a smaller program that fails, too, when stepped. */
  void shrink() throws SQLException {
    Schedule stepped = new SteppedSchedule();
    complaint =
        new Shrinking(program -> run(program, stepped)).shrink(failing, complaint)
            + "\nfound in:\n"
            + complaint;
  }

  private Optional<String> run(Program program, Schedule how) throws SQLException {
    History history;
    try {
      history = laboratory.run(program, how, clients);
    } catch (UnexpectedErrorException e) {
      unexpected = true;
      return Optional.of(
          "seed %d, %s: %s\n%s"
              .formatted(program.seed(), program.level(), e.getMessage(), program.sessions()));
    }
    if (Needless.errorIn(history) && tolerant) {
      needless++;
    } else if (Needless.errorIn(history)) {
      return Optional.of("an error that plain columns do not have, " + Report.of(history));
    }
    Verdict verdict = Checker.check(history, reads);
    if (verdict == Verdict.UNDECIDED) {
      undecided++;
    } else if (verdict != Verdict.LEGAL) {
      return Optional.of(verdict + ", " + Report.of(history));
    }
    history.sessions().stream()
        .flatMap(List::stream)
        .forEach(
            e -> {
              if (e.committed()) {
                committed++;
              } else {
                aborted++;
              }
            });
    return Optional.empty();
  }

  /** The illegal history, readable, with its seed. */
  String complaint() {
    return complaint;
  }

  /** Whether a statement failed with an error that no database may give here. */
  boolean hadUnexpectedError() {
    return unexpected;
  }

  int legal() {
    return legal;
  }

  int undecided() {
    return undecided;
  }

  @Override
  public String toString() {
    return committed
        + " committed, "
        + aborted
        + " rolled back, "
        + undecided
        + " undecided, "
        + needless
        + " with errors that plain columns do not have";
  }
}
