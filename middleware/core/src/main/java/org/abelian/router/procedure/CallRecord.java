package org.abelian.router.procedure;

import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.abelian.router.backend.Backend;

/**
 * One call from its first attempt to its last, as far as routing rules are learned from it. Not
 * thread-safe.
 */
public final class CallRecord {
  public final String signature;
  public final long version;

  /** What is known of its arguments; null while the procedure's calls are not watched. */
  public final ProcedureRules.Call call;

  public final ProcedureRules.Advice advice;
  public final Set<Integer> missed = new HashSet<>();
  public Set<Integer> participants = Set.of();

  /** True from a miss to the next attempt. */
  public boolean missedNow;

  /** True when something beside the call, such as another one, decides on the participants. */
  public boolean blurred;

  public CallRecord(
      String signature, long version, ProcedureRules.Call call, ProcedureRules.Advice advice) {
    this.signature = signature;
    this.version = version;
    this.call = call;
    this.advice = advice;
  }

  /**
   * The next attempt of the same call, which keeps what was learned and the advice.
   *
   * @param now what is known of the arguments by now
   */
  public CallRecord again(ProcedureRules.Call now) {
    CallRecord next = new CallRecord(signature, version, now, advice);
    next.missed.addAll(missed);
    next.blurred = blurred;
    return next;
  }

  public void participants(List<Backend> backends) {
    participants = new LinkedHashSet<>();
    backends.forEach(backend -> participants.add(backend.nodeId));
  }
}
