package org.abelian.harness;

import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Node names that tell who made them: {@code t_<pid>_<start of that process, s>_<number>}. A later
 * run can therefore remove what a killed run left behind and leave alone what a live one uses.
 */
final class OwnedName {
  private static final Pattern FORM = Pattern.compile("t_(\\d+)_(\\d+)_\\d+");
  private static final AtomicInteger NEXT = new AtomicInteger();

  private OwnedName() {}

  static String next() {
    ProcessHandle self = ProcessHandle.current();
    return "t_" + self.pid() + "_" + startSeconds(self) + "_" + NEXT.incrementAndGet();
  }

  /** Whether the name is a test's and the process that made it no longer runs. */
  static boolean isOrphan(String name) {
    Matcher matcher = FORM.matcher(name);
    if (!matcher.matches()) {
      return false;
    }
    Optional<ProcessHandle> owner = ProcessHandle.of(Long.parseLong(matcher.group(1)));
    return owner.isEmpty()
        || !owner.get().isAlive()
        || startSeconds(owner.get()) != Long.parseLong(matcher.group(2));
  }

  private static long startSeconds(ProcessHandle process) {
    return process.info().startInstant().map(Instant::getEpochSecond).orElse(0L);
  }
}
