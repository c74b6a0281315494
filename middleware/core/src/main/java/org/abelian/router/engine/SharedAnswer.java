package org.abelian.router.engine;

import org.abelian.router.execution.ReplyQueue;
import org.abelian.router.session.Progress;

/** A read that nodes have answered, in a batch with those of other sessions. */
final class SharedAnswer extends Execution {
  private final ReplyQueue replies;
  private final ReadRequest request;

  SharedAnswer(ReplyQueue replies, ReadRequest request) {
    this.replies = replies;
    this.request = request;
  }

  @Override
  public void describe(Description wanted) {
    replies.add(request.description());
  }

  @Override
  public Progress execute(int limit) {
    request.answer().forEach(replies::add);
    return Progress.NEXT;
  }
}
