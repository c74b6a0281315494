package org.abelian.advisor.proposals;

import java.util.List;

/**
 * What a phase proposes.
 *
 * @param transactions how many it looked at
 * @param present what they cost now
 * @param proposals each supposes those before it
 * @param notes what is not known
 */
public record Proposals(
    long transactions, Proposal.Cost present, List<Proposal> proposals, List<String> notes) {
  /** Copies the lists. */
  public Proposals {
    proposals = List.copyOf(proposals);
    notes = List.copyOf(notes);
  }
}
