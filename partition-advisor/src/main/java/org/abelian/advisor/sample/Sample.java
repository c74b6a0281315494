package org.abelian.advisor.sample;

import java.util.List;
import java.util.Map;
import org.abelian.advisor.files.OutputFolder;
import org.abelian.advisor.trace.TraceTable;
import org.abelian.advisor.trace.TraceWriter;

/** Draws the transactions of a workload, one after the other. */
public interface Sample {
  /** The tables that it touches. */
  List<TraceTable> tables();

  /** Draws a transaction and adds it to a trace. */
  void transaction(TraceWriter writer);

  /**
   * The placement that the literature uses, of all rows that were drawn so far.
   *
   * @param nodes how many there are
   */
  Manual manual(int nodes);

  /**
   * Writes a trace.
   *
   * @param source where it comes from, for people
   */
  default void write(OutputFolder folder, int transactions, String source) {
    try (TraceWriter writer = new TraceWriter(folder.path(), tables())) {
      while (writer.count() < transactions) {
        transaction(writer);
      }
      writer.finish(source, Map.of(), List.of());
    }
    folder.finish();
  }
}
