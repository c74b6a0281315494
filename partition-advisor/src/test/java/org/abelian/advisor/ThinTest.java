package org.abelian.advisor;

import java.nio.file.*;
import org.abelian.advisor.files.*;
import org.abelian.advisor.graph.*;
import org.abelian.advisor.partitioning.*;
import org.abelian.advisor.sample.*;
import org.abelian.advisor.trace.*;
import org.junit.jupiter.api.Test;

class ThinTest {
  @Test
  void go() {
    Path w = Path.of("/tmp/adv/w");
    long t = System.currentTimeMillis();
    try (OutputFolder o = OutputFolder.begin(w.resolve("trace"))) {
      new TpccSample(15, 1).write(o, 42000, "x");
    }
    System.out.println("trace " + (System.currentTimeMillis() - t));
    t = System.currentTimeMillis();
    try (OutputFolder o = OutputFolder.begin(w.resolve("graph"))) {
      System.out.println(
          GraphPhase.run(
              new TraceFiles(w.resolve("trace")), GraphOptions.usual(1).withTupleShare(0.2), o));
    }
    System.out.println("graph " + (System.currentTimeMillis() - t));
    t = System.currentTimeMillis();
    try (OutputFolder o = OutputFolder.begin(w.resolve("part"))) {
      System.out.println(
          PartitioningPhase.run(
              new GraphFiles(w.resolve("graph")),
              PartitioningOptions.usual(15, 1),
              o,
              System.out::println));
    }
    System.out.println("part " + (System.currentTimeMillis() - t));
    t = System.currentTimeMillis();
    try (OutputFolder o = OutputFolder.begin(w.resolve("expl"))) {
      System.out.println(
          org.abelian.advisor.explanation.ExplanationPhase.run(
              new TraceFiles(w.resolve("trace")), new PartitioningFiles(w.resolve("part")), o));
    }
    System.out.println("expl " + (System.currentTimeMillis() - t));
    t = System.currentTimeMillis();
    try (OutputFolder o = OutputFolder.begin(w.resolve("val"))) {
      var v =
          org.abelian.advisor.validation.ValidationPhase.run(
              new TraceFiles(w.resolve("trace")),
              new org.abelian.advisor.explanation.ExplanationFiles(w.resolve("expl")),
              0.01,
              1.3,
              o);
      System.out.println(v.chosen() + " " + v.loadable());
      for (var j : v.judgements()) System.out.println(j);
    }
    System.out.println("val " + (System.currentTimeMillis() - t));
  }
}
