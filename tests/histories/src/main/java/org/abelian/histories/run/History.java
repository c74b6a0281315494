package org.abelian.histories.run;

import java.util.List;
import org.abelian.histories.program.Program;

/** What happened: for each session the transactions that it ran, in order. */
public record History(Program program, List<List<Execution>> sessions) {}
