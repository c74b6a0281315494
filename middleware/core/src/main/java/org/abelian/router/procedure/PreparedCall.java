package org.abelian.router.procedure;

import java.util.Arrays;
import java.util.List;
import org.abelian.router.backend.Backend;
import org.abelian.router.protocol.BindMessage;

/**
 * A call with its values, kept until it is sent to all of its participants at once. No node knows
 * of it yet. It will commit without a vote.
 */
public final class PreparedCall {
  private final ProcedureCall call;
  private final BindMessage bind = new BindMessage();
  private final int[] resultFormats;
  private final String intent;
  private final CommutingWork work;
  private boolean describes;

  private PreparedCall(ProcedureCall call, BindMessage values, String intent, CommutingWork work) {
    this.call = call;
    this.intent = intent;
    this.work = work;
    byte[] copy = Arrays.copyOfRange(values.array(), values.portalAt() - 5, values.end());
    bind.look(copy, 0); // The client's message does not last.
    resultFormats = bind.resultFormats();
  }

  /**
   * As an independent transaction.
   *
   * @param intent what nodes record of it: the procedure and the call
   */
  public static PreparedCall independent(ProcedureCall call, BindMessage values, String intent) {
    return new PreparedCall(call, values, intent, null);
  }

  /** As a commuting transaction, which does that. */
  public static PreparedCall commuting(ProcedureCall call, BindMessage values, CommutingWork work) {
    return new PreparedCall(call, values, null, work);
  }

  public ProcedureCall call() {
    return call;
  }

  public List<Backend> participants() {
    return call.participants();
  }

  /** The values; of this call alone. */
  public BindMessage bind() {
    return bind;
  }

  /** In which formats the client wants the result: none for text, one for all columns, or each. */
  public int[] resultFormats() {
    return resultFormats;
  }

  /** What nodes record of an independent call. */
  public String intent() {
    return intent;
  }

  /** What a commuting call does. */
  public CommutingWork work() {
    return work;
  }

  /** True when the client waits for the description of the result, which comes with it. */
  public boolean describes() {
    return describes;
  }

  public void describe() {
    describes = true;
  }
}
