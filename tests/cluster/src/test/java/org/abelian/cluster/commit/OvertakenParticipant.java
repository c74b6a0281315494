package org.abelian.cluster.commit;

import java.time.Duration;
import org.abelian.router.transaction.Answer;
import org.abelian.router.transaction.Participant;

/** Something happens after its PREPARE, before the coordinator hears of it. */
final class OvertakenParticipant implements Participant {
  private final Participant real;
  private final Runnable meanwhile;
  private boolean preparing;

  OvertakenParticipant(Participant real, Runnable meanwhile) {
    this.real = real;
    this.meanwhile = meanwhile;
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
    if (preparing) {
      meanwhile.run();
    }
    return answer;
  }

  @Override
  public boolean inTransaction() {
    return real.inTransaction();
  }
}
