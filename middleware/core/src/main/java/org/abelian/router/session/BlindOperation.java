package org.abelian.router.session;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.abelian.router.execution.TagSum;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.routing.ParameterText;
import org.abelian.router.statement.RoutedStatement;

/** A blind statement that was sent to a node, with what is needed to do it again. */
public final class BlindOperation {
  private final int node;
  private final RoutedStatement routed;
  private final byte[] bind;
  private final TagSum sum = new TagSum();
  private boolean repeated;

  private BlindOperation(int node, RoutedStatement routed, byte[] bind) {
    this.node = node;
    this.routed = routed;
    this.bind = bind;
  }

  /** Keeps a copy of the message. */
  public static BlindOperation of(int node, RoutedStatement routed, BindMessage message) {
    byte[] copy = new byte[message.end() - message.portalAt() + 5];
    System.arraycopy(message.array(), message.portalAt() - 5, copy, 0, copy.length);
    return new BlindOperation(node, routed, copy);
  }

  /** The same statement with the same values, once more. */
  public BlindOperation again() {
    repeated = true;
    return new BlindOperation(node, routed, bind);
  }

  /** True when it was asked for again. */
  public boolean isRepeated() {
    return repeated;
  }

  public int node() {
    return node;
  }

  public String sql() {
    return routed.facts().change().blind().redo();
  }

  public List<Integer> types() {
    return routed.facts().parameters();
  }

  /** What the node said it has done. */
  public TagSum sum() {
    return sum;
  }

  /**
   * The values in text form, null for NULL; null when one has a binary form that is unknown here,
   * or a text that settings give its meaning.
   */
  public List<String> values() {
    List<String> values = new ArrayList<>();
    BindMessage message = new BindMessage();
    message.look(bind, 0);
    for (int i = 0; i < message.parameterCount(); i++) {
      int length = message.length(i);
      String value =
          length < 0
              ? null
              : ParameterText.of(
                  types().get(i), message.isBinary(i), bind, message.offset(i), length);
      boolean known = value != null && IntentText.isUnambiguous(types().get(i), value);
      if (length >= 0 && !known) {
        return null;
      }
      values.add(value);
    }
    return values;
  }

  @Override
  public String toString() {
    return "node " + node + ": " + sql() + " " + Arrays.toString(bind);
  }
}
