package org.abelian.advisor.explanation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.abelian.advisor.Traces;
import org.abelian.advisor.trace.Access;
import org.abelian.advisor.trace.TraceFiles;
import org.abelian.advisor.workload.Part;
import org.abelian.advisor.workload.Workload;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeySearchTest {
  @TempDir Path folder;

  /**
   * A purchase needs its buyer and its seller, which lie apart whatever is done. Its own row had
   * better be with one of them than on a third node.
   */
  @Test
  void addsNoThirdPlaceToWhatIsApartAnyway() {
    List<Traces.Tx> transactions = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      String buyer = "" + i * 7 % 50;
      String seller = "" + (50 + i * 11 % 50);
      transactions.add(
          Traces.tx(
              Access.write(0, "public.account", Map.of("id", buyer)),
              Access.write(1, "public.account", Map.of("id", seller)),
              Access.write(
                  2, "public.purchase", Map.of("number", "" + (1000 + i), "buyer", buyer))));
    }
    TraceFiles trace =
        Traces.write(
            folder.resolve("trace"),
            List.of(
                Traces.table("account", 1, "id"), Traces.table("purchase", 2, "number", "buyer")),
            transactions);
    Workload workload = Workload.read(trace, new Part(1, 0.25), "true", transactions.size());
    int[] choice =
        new KeySearch(
                workload, new UsableColumns(workload), 3, true, Places.ofKeys(workload.tuples()))
            .run()
            .get(0)
            .choice();
    assertEquals(List.of(0, 1), List.of(choice[0], choice[1]));
  }
}
