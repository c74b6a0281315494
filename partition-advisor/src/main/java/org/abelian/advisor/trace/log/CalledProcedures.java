package org.abelian.advisor.trace.log;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.abelian.advisor.trace.TracedProcedure;
import org.abelian.router.analysis.BodyFacts;

/** The procedures that statements of a log call. */
final class CalledProcedures {
  private final Map<String, BodyFacts> bodies = new TreeMap<>();
  private final Map<String, Long> calls = new TreeMap<>();

  /** A statement calls one. */
  void add(BodyFacts body) {
    bodies.putIfAbsent(body.signature(), body);
    calls.merge(body.signature(), 1L, Long::sum);
  }

  /** All of them, by their signatures. */
  List<TracedProcedure> all() {
    List<TracedProcedure> all = new ArrayList<>();
    bodies.forEach(
        (signature, body) ->
            all.add(
                new TracedProcedure(
                    signature,
                    calls.get(signature),
                    body.returns(),
                    body.flat(),
                    body.unseen(),
                    body.touches().stream().map(CalledProcedures::touch).toList())));
    return all;
  }

  private static TracedProcedure.Touch touch(BodyFacts.Touch touch) {
    return new TracedProcedure.Touch(
        touch.schema() + "." + touch.table(), touch.write(), touch.columns());
  }
}
