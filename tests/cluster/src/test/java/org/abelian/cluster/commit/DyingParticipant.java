package org.abelian.cluster.commit;

import java.time.Duration;
import org.abelian.router.transaction.Answer;
import org.abelian.router.transaction.Participant;

/** Its node dies just before a certain message arrives. */
final class DyingParticipant implements Participant {
  private final Participant real;
  private final String message;
  private final Runnable death;

  DyingParticipant(Participant real, String message, Runnable death) {
    this.real = real;
    this.message = message;
    this.death = death;
  }

  @Override
  public int nodeId() {
    return real.nodeId();
  }

  @Override
  public void send(String sql) {
    if (sql.startsWith(message)) {
      death.run();
    }
    real.send(sql);
  }

  @Override
  public Answer await(Duration limit) {
    return real.await(limit);
  }

  @Override
  public boolean inTransaction() {
    return real.inTransaction();
  }
}
