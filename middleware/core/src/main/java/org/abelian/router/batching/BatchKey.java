package org.abelian.router.batching;

import java.util.Arrays;
import org.abelian.router.analysis.CombinedFacts;
import org.abelian.router.analysis.Value;
import org.abelian.router.routing.BoundValues;

/**
 * What statements have in common that can be run as one: everything but their operands. Immutable.
 */
public final class BatchKey {
  private final Object scope;
  private final Object connections;
  private final String text;
  private final byte[] values;
  private final int hash;

  private BatchKey(Object scope, Object connections, String text, byte[] values) {
    this.scope = scope;
    this.connections = connections;
    this.text = text;
    this.values = values;
    hash =
        ((scope.hashCode() * 31 + System.identityHashCode(connections)) * 31 + text.hashCode()) * 31
            + Arrays.hashCode(values);
  }

  /**
   * The key of a statement with its values.
   *
   * @param scope equal for sessions whose settings are equal
   * @param connections the pool that the session would use: of one node, role and database
   */
  public static BatchKey of(
      Object scope, Object connections, CombinedFacts facts, BoundValues values) {
    return new BatchKey(scope, connections, facts.text(), otherValues(facts, values));
  }

  /** True when the parameter is an operand, of which the key must not depend. */
  public static boolean isOperand(CombinedFacts facts, int parameter) {
    for (CombinedFacts.Operand operand : facts.operands()) {
      if (operand.value() instanceof Value.Parameter own && own.number() == parameter) {
        return true;
      }
    }
    return false;
  }

  private static byte[] otherValues(CombinedFacts facts, BoundValues values) {
    int size = 0;
    for (int i = 1; i <= values.count(); i++) {
      size += isOperand(facts, i) ? 0 : 5 + Math.max(values.length(i), 0);
    }
    byte[] bytes = new byte[size];
    int at = 0;
    for (int i = 1; i <= values.count(); i++) {
      if (isOperand(facts, i)) {
        continue;
      }
      int length = values.length(i);
      bytes[at++] = (byte) (values.isBinary(i) ? 1 : 0);
      for (int shift = 24; shift >= 0; shift -= 8) {
        bytes[at++] = (byte) (length >> shift);
      }
      if (length > 0) {
        System.arraycopy(values.buffer(i), values.offset(i), bytes, at, length);
        at += length;
      }
    }
    return bytes;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof BatchKey key
        && hash == key.hash
        && connections == key.connections
        && scope.equals(key.scope)
        && text.equals(key.text)
        && Arrays.equals(values, key.values);
  }

  @Override
  public int hashCode() {
    return hash;
  }
}
