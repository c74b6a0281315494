package org.abelian.advisor.proposals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.abelian.advisor.AdvisorException;
import org.abelian.advisor.cluster.Cluster;
import org.abelian.advisor.files.JsonFile;
import org.abelian.advisor.files.OutputFolder;
import org.abelian.advisor.trace.TraceFiles;
import org.abelian.advisor.workload.Part;
import org.abelian.advisor.workload.Workload;
import org.abelian.router.catalog.Catalog;

/** Compares the present placement of a cluster with a trace, and proposes moves of single keys. */
public final class ProposalsPhase {
  /** Transactions that are looked at; of more, these are drawn. */
  private static final int MOST_TRANSACTIONS = 100_000;

  private static final int MOST_PROPOSALS = 20;

  private ProposalsPhase() {}

  /**
   * Reads a trace and a catalogue, and writes proposals.json and proposals.txt.
   *
   * @param catalogFile what abelian.catalog() gave
   * @param mostLoad accesses of the busiest node over the mean that are no reason to move anything
   */
  public static Proposals run(
      TraceFiles trace, Path catalogFile, double mostLoad, OutputFolder output) {
    Proposals proposals = propose(trace, catalog(catalogFile), mostLoad);
    try {
      JsonFile.write(output.file("proposals.json"), proposals);
      Files.writeString(output.file("proposals.txt"), ProposalText.of(proposals));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    output.finish();
    return proposals;
  }

  private static Catalog catalog(Path file) {
    if (!Files.exists(file)) {
      throw new AdvisorException(file + " does not exist");
    }
    try {
      return Cluster.catalog(Files.readString(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Proposals propose(TraceFiles trace, Catalog catalog, double mostLoad) {
    List<String> notes = new ArrayList<>(trace.description().notes());
    Workload workload =
        Workload.read(trace, new Part(1, Part.USUAL_HELD_OUT), "true", MOST_TRANSACTIONS);
    if (workload.total() > workload.size()) {
      notes.add(workload.size() + " of " + workload.total() + " transactions are looked at");
    }
    KeyUses uses = new KeyUses(workload, catalog);
    if (uses.unplaced() > 0) {
      notes.add(uses.unplaced() + " accesses name a key that no rule covers");
    }
    Improvement improvement = new Improvement(uses, mostLoad);
    Proposal.Cost present = improvement.cost();
    List<Proposal> proposals = new ArrayList<>();
    Proposal.Cost before = present;
    while (proposals.size() < MOST_PROPOSALS) {
      Improvement.Found found = improvement.next();
      if (found == null) {
        break;
      }
      KeyUses.Key key = uses.keys().get(found.key());
      int from = catalog.nodes().get(key.node).id();
      improvement.make(found);
      Proposal.Cost after = improvement.cost();
      proposals.add(
          new Proposal(
              found.reason(),
              key.table,
              key.text,
              from,
              catalog.nodes().get(found.to()).id(),
              found.with() < 0 ? null : name(uses.keys().get(found.with())),
              key.placeable,
              before,
              after));
      before = after;
    }
    return new Proposals(workload.size(), present, proposals, notes);
  }

  private static String name(KeyUses.Key key) {
    return key.table + " " + key.text;
  }
}
