package org.abelian.router.execution;

/**
 * How far planning runs ahead of the answers. Beyond it, what was planned is sent and answered
 * first: that bounds what the router and the nodes' sockets hold of a long pipeline, and no node is
 * sent much while it has much to say.
 */
public final class FlowWindow {
  /** In bytes, to all nodes. More than this is sent only as one message. */
  private static final int UNSENT_MAX = 256 << 10;

  /** About 500 statements of the extended protocol. */
  private static final int STEPS_MAX = 1500;

  /** In bytes. Sockets hold less than this at both ends together. */
  private static final int LARGE = 64 << 10;

  private FlowWindow() {}

  /**
   * True when answers must come before more is planned.
   *
   * @param unsent bytes that wait to be sent to nodes
   */
  public static boolean isFull(ReplyQueue replies, int unsent) {
    return unsent > UNSENT_MAX || replies.size() > STEPS_MAX;
  }

  /**
   * True when answers must come before a message is planned: a node that has many rows to send does
   * not take a large one.
   *
   * @param length of the message, in bytes
   */
  public static boolean comesFirst(ReplyQueue replies, int length) {
    return length > LARGE && replies.expectsRows();
  }
}
