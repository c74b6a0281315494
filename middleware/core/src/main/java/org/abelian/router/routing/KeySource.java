package org.abelian.router.routing;

import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.analysis.Value;

/** Where a key comes from: a parameter, or a constant whose partition is known beforehand. */
@FunctionalInterface
interface KeySource {
  /**
   * The partition, {@link KeyReader#NULL} or {@link KeyReader#NO_MATCH}.
   *
   * @throws org.abelian.router.error.AbelianException when the value cannot be read as a key
   */
  int partition(BoundValues values);

  /** The source for a value of the statement; null when only a node can compute it. */
  static KeySource of(Value value, KeyReader reader, StatementFacts facts) {
    if (value instanceof Value.Parameter parameter) {
      int number = parameter.number();
      int oid = typeOf(number, facts);
      return values -> reader.partition(values, number, oid);
    }
    if (value instanceof Value.Constant constant) {
      int partition =
          reader.partition(
              TextValues.of(constant.text()),
              1,
              constant.type() == PgType.UNSPECIFIED ? PgType.UNKNOWN : constant.type());
      return values -> partition;
    }
    return value instanceof Value.Null ? values -> KeyReader.NULL : null;
  }

  /** The OID of a parameter's type. */
  static int typeOf(int parameter, StatementFacts facts) {
    return parameter <= facts.parameters().size()
        ? facts.parameters().get(parameter - 1)
        : PgType.UNSPECIFIED;
  }
}
