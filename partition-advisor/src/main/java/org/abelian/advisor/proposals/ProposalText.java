package org.abelian.advisor.proposals;

import java.util.Locale;

/** Proposals for people. */
final class ProposalText {
  private ProposalText() {}

  static String of(Proposals proposals) {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "%,d transactions: %s%n",
            proposals.transactions(),
            cost(proposals.present())));
    if (proposals.proposals().isEmpty()) {
      text.append("No key should lie elsewhere.\n");
    }
    int number = 1;
    for (Proposal one : proposals.proposals()) {
      text.append(number++).append(". ").append(one(one)).append('\n');
      text.append("   then ").append(cost(one.after())).append('\n');
    }
    proposals.notes().forEach(note -> text.append("Note: ").append(note).append('\n'));
    return text.toString();
  }

  private static String one(Proposal proposal) {
    String move =
        proposal.table()
            + " "
            + proposal.key()
            + ": from node "
            + proposal.from()
            + " to node "
            + proposal.to();
    String why =
        switch (proposal.reason()) {
          case JOIN ->
              proposal.with() == null
                  ? ", where the rest of its transactions is"
                  : ", to join " + proposal.with();
          case ISOLATE -> ", since its node is the busiest";
        };
    return move
        + why
        + (proposal.placeable() ? "" : "; its table must be placed by lookup for that");
  }

  private static String cost(Proposal.Cost cost) {
    return String.format(
        Locale.ROOT,
        "%.1f%% are distributed, the busiest node has %.2f of the mean",
        100 * cost.distributed(),
        cost.load());
  }
}
