package org.abelian.router.statement;

import org.abelian.router.protocol.BindMessage;
import org.abelian.router.routing.BoundValues;

/** The values of a Bind message as routing sees them. */
public final class BoundParameters implements BoundValues {
  private final BindMessage message;

  public BoundParameters(BindMessage message) {
    this.message = message;
  }

  @Override
  public int count() {
    return message.parameterCount();
  }

  @Override
  public boolean isBinary(int parameter) {
    return message.isBinary(parameter - 1);
  }

  @Override
  public byte[] buffer(int parameter) {
    return message.array();
  }

  @Override
  public int offset(int parameter) {
    return message.offset(parameter - 1);
  }

  @Override
  public int length(int parameter) {
    return message.length(parameter - 1);
  }
}
