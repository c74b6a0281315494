package org.abelian.advisor.validation;

import static org.abelian.advisor.Traces.read;
import static org.abelian.advisor.Traces.tx;
import static org.abelian.advisor.Traces.write;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.abelian.advisor.Traces;
import org.abelian.advisor.placement.Candidate;
import org.abelian.advisor.placement.Lookups;
import org.abelian.advisor.placement.TablePlacement;
import org.abelian.advisor.trace.Access;
import org.abelian.advisor.trace.TraceFiles;
import org.abelian.advisor.workload.Part;
import org.abelian.advisor.workload.Workload;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JudgeTest {
  @TempDir Path folder;

  /** Rows 1 and 2 are on different nodes of two; row 3 is beside row 1. */
  private static final Lookups PLACES = new Lookups();

  static {
    PLACES.map("m").putAll(Map.of("1", 0, "2", 1, "3", 0));
  }

  private Judgement judge(TablePlacement placement, Traces.Tx... transactions) {
    TraceFiles trace =
        Traces.write(
            folder.resolve("trace"),
            List.of(Traces.table("t", 1, "id", "other")),
            List.of(transactions));
    Workload workload = Workload.read(trace, new Part(1, 0.5), "true", transactions.length);
    return new Judge(
            workload,
            new Candidate("c", "a candidate", Candidate.Kind.LOOKUP, Map.of("public.t", placement)),
            PLACES,
            2)
        .judge();
  }

  private TransactionKind kind(Traces.Tx transaction) {
    Judgement judgement = judge(new TablePlacement.Lookup("id", "m"), transaction);
    return judgement.shares().entrySet().stream()
        .filter(entry -> entry.getValue() == 1)
        .findFirst()
        .orElseThrow()
        .getKey();
  }

  @Test
  void tellsKindsApart() {
    assertEquals(TransactionKind.SINGLE, kind(tx(write(0, 1), write(1, 3))));
    assertEquals(TransactionKind.READS, kind(tx(read(0, 1), read(1, 2))));
    assertEquals(
        TransactionKind.COMMUTING, kind(tx(write(0, 1).commuting(), write(1, 2).commuting())));
    assertEquals(TransactionKind.INDEPENDENT, kind(tx(write(0, 1), write(1, 2))));
    assertEquals(
        TransactionKind.COORDINATED,
        kind(new Traces.Tx("t", false, List.of(write(0, 1), write(1, 2)))));
    assertEquals(TransactionKind.COORDINATED, kind(tx(write(0, 1), write(1, 2).after(List.of(0)))));
    assertEquals(TransactionKind.COORDINATED, kind(tx(write(0, 1), write(1, 2).deciding())));
    assertEquals(
        TransactionKind.INDEPENDENT,
        kind(tx(write(0, 1), write(1, 3).after(List.of(0)), write(2, 2))));
  }

  private TransactionKind byStatements(Access... accesses) {
    return kind(new Traces.Tx("t", false, List.of(accesses)));
  }

  /** As the router does: whoever writes on one node needs nobody else to commit. */
  @Test
  void readsElsewhereDoNotCoordinateAWrite() {
    assertEquals(TransactionKind.READS, byStatements(read(0, 1), write(1, 2)));
    assertEquals(TransactionKind.READS, byStatements(read(0, 1), write(1, 2).commuting()));
    assertEquals(TransactionKind.INDEPENDENT, kind(tx(read(0, 1), write(1, 2))));
    Access unnamed =
        new Access(
            0,
            "public.t",
            Map.of("id", "1", "other", "7"),
            List.of("other"),
            true,
            false,
            null,
            null,
            false);
    assertEquals(TransactionKind.READS, byStatements(unnamed));
    assertEquals(
        TransactionKind.COORDINATED,
        byStatements(Access.write(0, "public.t", Map.of("other", "7"))));
  }

  /** One statement that writes on several nodes is no operation of one of them. */
  @Test
  void oneStatementOnSeveralNodesDoesNotCommute() {
    assertEquals(
        TransactionKind.COMMUTING, byStatements(write(0, 1).commuting(), write(1, 2).commuting()));
    assertEquals(
        TransactionKind.COORDINATED,
        byStatements(write(0, 1).commuting(), write(0, 2).commuting()));
    assertEquals(
        List.of(),
        judge(
                new TablePlacement.Lookup("id", "m"),
                new Traces.Tx(
                    "t",
                    false,
                    List.of(
                        write(0, 1).retyped("t.n counter"), write(0, 2).retyped("t.n counter"))))
            .retypings());
  }

  @Test
  void sendsToAllWhatDoesNotNameItsKey() {
    Access unnamed = Access.read(0, "public.t", Map.of("other", "7"));
    Judgement judgement = judge(new TablePlacement.Lookup("id", "m"), tx(unnamed), tx(read(0, 1)));
    assertEquals(0.5, judgement.misrouted());
    assertEquals(1.5, judgement.nodes());
  }

  @Test
  void sendsToAllWhatKnowsItsRowButDoesNotNameTheKey() {
    Access known =
        new Access(
            0,
            "public.t",
            Map.of("id", "1", "other", "7"),
            List.of("other"),
            false,
            false,
            null,
            null,
            false);
    assertEquals(1, judge(new TablePlacement.Lookup("id", "m"), tx(known)).misrouted());
  }

  @Test
  void readsCopiesWhereItIsAndWritesThemEverywhere() {
    Judgement judgement =
        judge(new TablePlacement.Reference(), tx(read(0, 1), read(1, 2)), tx(write(0, 1)));
    assertEquals(0.5, judgement.distributed());
    assertEquals(1.5, judgement.nodes());
  }

  @Test
  void measuresBalance() {
    Judgement judgement =
        judge(new TablePlacement.Lookup("id", "m"), tx(read(0, 1)), tx(read(0, 3)), tx(read(0, 3)));
    assertEquals(2, judgement.loadBalance());
    assertEquals(2, judgement.rowBalance());
  }

  @Test
  void saysWhatOtherTypesWouldSave() {
    Traces.Tx both = tx(write(0, 1).retyped("t.n counter"), write(1, 2).retyped("t.n counter"));
    Traces.Tx half = tx(write(0, 1).retyped("t.n counter"), write(1, 2));
    Traces.Tx local = tx(write(0, 1).retyped("t.n counter"));
    assertEquals(
        List.of(new Judgement.Retyping("t.n counter", 0.25)),
        judge(new TablePlacement.Lookup("id", "m"), both, half, local, local).retypings());
  }

  @Test
  void countsByClass() {
    Judgement judgement =
        judge(
            new TablePlacement.Lookup("id", "m"),
            new Traces.Tx("apart", true, List.of(write(0, 1), write(1, 2))),
            new Traces.Tx("home", true, List.of(write(0, 1))),
            new Traces.Tx("home", true, List.of(write(0, 2))));
    assertEquals(
        List.of(
            new Judgement.OfClass("home", 2.0 / 3, 0), new Judgement.OfClass("apart", 1.0 / 3, 1)),
        judgement.classes());
  }
}
