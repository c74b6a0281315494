package org.abelian.advisor.explanation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.abelian.advisor.placement.Rule;
import org.junit.jupiter.api.Test;

class TreeLearnerTest {
  private static Labelled row(double number, String text, int partition) {
    return new Labelled(
        new double[] {number, (number * 7919) % 100}, new String[] {text}, partition, 1);
  }

  private static TreeLearner.Learnt learn(List<Labelled> rows) {
    return new TreeLearner(
            List.of("a", "noise"), List.of("t"), TreeLearner.sample(rows, rows.size(), 1), 1)
        .learn();
  }

  private static int follow(Rule rule, double number, String text) {
    if (rule instanceof Rule.AtMost split) {
      double asked = split.column().equals("a") ? number : (number * 7919) % 100;
      return follow(asked <= split.value() ? split.yes() : split.no(), number, text);
    }
    if (rule instanceof Rule.Equal split) {
      return follow(text.equals(split.value()) ? split.yes() : split.no(), number, text);
    }
    return ((Rule.Then) rule).partition();
  }

  @Test
  void findsRanges() {
    List<Labelled> rows = new ArrayList<>();
    for (int i = 0; i < 900; i++) {
      rows.add(row(i, "x", i / 300));
    }
    TreeLearner.Learnt learnt = learn(rows);
    assertEquals(3, learnt.rule().leaves());
    for (int i = 0; i < 900; i++) {
      assertEquals(i / 300, follow(learnt.rule(), i, "x"), "row " + i);
    }
    assertTrue(learnt.accuracy() > 0.98);
  }

  @Test
  void findsTexts() {
    List<Labelled> rows = new ArrayList<>();
    for (int i = 0; i < 600; i++) {
      rows.add(row(i, i % 3 == 0 ? "eu" : "us", i % 3 == 0 ? 4 : 2));
    }
    Rule rule = learn(rows).rule();
    assertEquals(2, rule.leaves());
    assertEquals(4, follow(rule, 5, "eu"));
    assertEquals(2, follow(rule, 5, "us"));
  }

  @Test
  void prunesWhatIsChance() {
    Random random = new Random(7);
    List<Labelled> rows = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      boolean strange = random.nextInt(10) == 0;
      rows.add(row(i, "x", strange ? random.nextInt(5) : 3));
    }
    assertEquals(new Rule.Then(3), learn(rows).rule());
  }

  @Test
  void takesFewRowsAsTheyAre() {
    List<Labelled> rows = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      rows.add(new Labelled(new double[] {i, 0}, new String[] {"x"}, (i * 5) % 12, 100));
    }
    Rule rule = learn(rows).rule();
    for (int i = 0; i < 12; i++) {
      assertEquals((i * 5) % 12, follow(rule, i, "x"), "row " + i);
    }
  }

  @Test
  void answersWithoutAnyColumn() {
    List<Labelled> rows = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      rows.add(new Labelled(new double[0], new String[0], i % 10 == 0 ? 1 : 0, 1));
    }
    assertEquals(new Rule.Then(0), new TreeLearner(List.of(), List.of(), rows, 1).learn().rule());
  }
}
