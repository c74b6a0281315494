package org.abelian.router.engine;

import org.abelian.router.protocol.BindMessage;

/** The group of messages (up to Sync, or a simple query) that a statement came in. */
public interface GroupView {
  /** True when the group runs one statement and no other. */
  boolean isOneStatement();

  /**
   * True when the rest of the group does nothing but run what is being bound: Describe, if the
   * client wants it, Execute, Sync.
   */
  boolean runsNext(BindMessage bound);

  /** Of what {@link #runsNext}: true when it is to give all of its rows at once. */
  boolean runsToEnd(BindMessage bound);

  /** Of what {@link #runsNext}: true when the client wants it to be described before. */
  boolean describesNext(BindMessage bound);

  /** True when the nodes have got the Sync that ends the group. */
  boolean hasSynced();
}
