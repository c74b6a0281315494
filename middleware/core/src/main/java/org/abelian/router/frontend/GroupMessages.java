package org.abelian.router.frontend;

import org.abelian.router.engine.GroupView;
import org.abelian.router.protocol.BindMessage;

/** The messages that came with the one that is planned, whichever protocol they are of. */
public final class GroupMessages implements GroupView {
  private Pipeline pipeline;
  private ExtendedProtocol extended;
  private SimpleProtocol simple;

  /** Completes it: those who look at it are made before those who know. */
  public void of(Pipeline messages, ExtendedProtocol bound, SimpleProtocol query) {
    pipeline = messages;
    extended = bound;
    simple = query;
  }

  @Override
  public boolean isOneStatement() {
    return pipeline.isOneStatement();
  }

  @Override
  public boolean runsToEnd(BindMessage bound) {
    return simple.runsNext(bound) || extended.runsToEnd(bound);
  }

  @Override
  public boolean describesNext(BindMessage bound) {
    return simple.runsNext(bound) || extended.describesNext(bound);
  }

  @Override
  public boolean runsNext(BindMessage bound) {
    return simple.isRunning() || extended.runsNext(bound);
  }

  @Override
  public boolean hasSynced() {
    return pipeline.hasSynced();
  }
}
