package org.abelian.advisor.command;

import java.util.Locale;
import java.util.function.Supplier;

/** Tells on standard error what is being done, and how long it took. */
final class Progress {
  private Progress() {}

  static void say(String text) {
    System.err.println(text);
  }

  /** Runs a phase. */
  static <T> T phase(String what, Supplier<T> phase) {
    long begin = System.nanoTime();
    say(what + " ...");
    T result = phase.get();
    say(String.format(Locale.ROOT, "%s: %.1f s", what, (System.nanoTime() - begin) / 1e9));
    return result;
  }
}
