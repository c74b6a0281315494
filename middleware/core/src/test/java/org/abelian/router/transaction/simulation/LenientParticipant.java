package org.abelian.router.transaction.simulation;

import java.time.Duration;
import org.abelian.router.transaction.Answer;
import org.abelian.router.transaction.Participant;

/** Takes a lost PREPARE for a yes: {@link Flaw#LOST_VOTE_IS_YES}. */
final class LenientParticipant implements Participant {
  private final Participant real;
  private boolean preparing;

  LenientParticipant(Participant real) {
    this.real = real;
  }

  @Override
  public int nodeId() {
    return real.nodeId();
  }

  @Override
  public void send(String sql) {
    preparing = sql.startsWith("PREPARE TRANSACTION");
    real.send(sql);
  }

  @Override
  public Answer await(Duration limit) {
    Answer answer = real.await(limit);
    return preparing && answer instanceof Answer.Lost
        ? new Answer.Done("PREPARE TRANSACTION")
        : answer;
  }

  @Override
  public boolean inTransaction() {
    return real.inTransaction();
  }
}
