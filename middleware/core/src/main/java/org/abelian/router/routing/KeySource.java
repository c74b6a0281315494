package org.abelian.router.routing;

import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.analysis.Value;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.placement.KeyCollector;
import org.abelian.router.placement.KeySink;
import org.abelian.router.placement.KeyValue;

/** Where the value of a distribution column comes from: a parameter, or a constant. */
@FunctionalInterface
interface KeySource {
  /**
   * What the sink makes of the value, or {@link KeyReader#NULL} or {@link KeyReader#NO_MATCH}.
   *
   * @throws org.abelian.router.error.AbelianException when the value cannot be read as a key
   */
  int read(BoundValues values, KeySink sink);

  /** The source for a value of the statement; null when only a node can compute it. */
  static KeySource of(Value value, KeyReader reader, StatementFacts facts) {
    if (value instanceof Value.Parameter parameter) {
      int number = parameter.number();
      int oid = typeOf(parameter, facts);
      return (values, sink) -> reader.read(values, number, oid, sink);
    }
    if (value instanceof Value.Constant constant) {
      return ofConstant(constant, reader);
    }
    return value instanceof Value.Null ? (values, sink) -> KeyReader.NULL : null;
  }

  /**
   * The same for a value that is compared with the column: what only a node can read is {@link
   * KeyReader#UNREADABLE}, or null.
   */
  static KeySource compared(Value value, KeyReader reader, StatementFacts facts) {
    if (!isReadable(value, reader, facts)) {
      return null;
    }
    if (!reader.dependsOnSettings()) {
      return of(value, reader, facts);
    }
    try {
      KeySource source = of(value, reader, facts);
      return source == null ? null : (values, sink) -> readable(source, values, sink);
    } catch (AbelianException unreadable) {
      if (onlyNodesRead(unreadable)) {
        return null;
      }
      throw unreadable;
    }
  }

  private static int readable(KeySource source, BoundValues values, KeySink sink) {
    try {
      return source.read(values, sink);
    } catch (AbelianException unreadable) {
      if (onlyNodesRead(unreadable)) {
        return KeyReader.UNREADABLE;
      }
      throw unreadable;
    }
  }

  private static boolean onlyNodesRead(AbelianException error) {
    return error.state() == SqlState.FEATURE_NOT_SUPPORTED;
  }

  private static boolean isReadable(Value value, KeyReader reader, StatementFacts facts) {
    if (value instanceof Value.Parameter parameter) {
      return reader.reads(typeOf(parameter, facts));
    }
    return !(value instanceof Value.Constant constant) || reader.reads(constant.type());
  }

  /** It is read once, whatever is bound later. */
  private static KeySource ofConstant(Value.Constant constant, KeyReader reader) {
    int type = constant.type() == PgType.UNSPECIFIED ? PgType.UNKNOWN : constant.type();
    KeyCollector collector = new KeyCollector();
    int read = reader.read(TextValues.of(constant.text()), 1, type, collector);
    KeyValue key = collector.value();
    return read < 0 ? (values, sink) -> read : (values, sink) -> key.into(sink);
  }

  /** The OID of a parameter's type; of a domain, that of the type below. */
  static int typeOf(Value.Parameter parameter, StatementFacts facts) {
    return parameter.base() == 0 ? typeOf(parameter.number(), facts) : parameter.base();
  }

  /** The OID of a parameter's type. */
  static int typeOf(int parameter, StatementFacts facts) {
    return parameter <= facts.parameters().size()
        ? facts.parameters().get(parameter - 1)
        : PgType.UNSPECIFIED;
  }
}
