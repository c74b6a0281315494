package org.abelian.router.routing;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.analysis.Value;
import org.abelian.router.placement.KeyCollector;
import org.abelian.router.placement.KeySink;
import org.abelian.router.placement.KeyValue;

/**
 * A list of which one member equals the key: single values and the elements of arrays.
 *
 * @param members single values
 * @param arrays parameters that are arrays
 */
record KeyList(List<KeySource> members, List<ArrayParameter> arrays) {
  /** The list, if the router can know every member of it. */
  static Optional<KeyList> of(List<Value> values, KeyReader reader, StatementFacts facts) {
    List<KeySource> members = new ArrayList<>();
    List<ArrayParameter> arrays = new ArrayList<>();
    for (Value value : values) {
      if (value instanceof Value.ParameterElements elements) {
        int type = KeySource.typeOf(elements.number(), facts);
        boolean users = type >= PgType.FIRST_OF_USERS; // It may be of a domain.
        if (!reader.reads(users ? type : PgType.elementOf(type))) {
          return Optional.empty();
        }
        arrays.add(new ArrayParameter(elements.number(), PgType.elementOf(type), reader));
        continue;
      }
      KeySource member = member(value, reader, facts);
      if (member == null) {
        return Optional.empty();
      }
      members.add(member);
    }
    return Optional.of(new KeyList(members, arrays));
  }

  /** A parameter that turns out to be unreadable raises: all that the list has must be known. */
  private static KeySource member(Value value, KeyReader reader, StatementFacts facts) {
    return KeySource.compared(value, reader, facts) == null
        ? null
        : KeySource.of(value, reader, facts);
  }

  /** What the sink makes of each member; NULL and what no row equals are left out. */
  int[] read(BoundValues values, KeySink sink) {
    IntStream.Builder found = IntStream.builder();
    read(values, sink, found::add);
    return found.build().filter(each -> each >= 0).toArray();
  }

  /** The members' values, without NULL and what no row equals. */
  Set<KeyValue> values(BoundValues values) {
    Set<KeyValue> found = new LinkedHashSet<>();
    KeyCollector collector = new KeyCollector();
    read(
        values,
        collector,
        read -> {
          if (read >= 0) {
            found.add(collector.value());
          }
        });
    return found;
  }

  private void read(BoundValues values, KeySink sink, IntConsumer each) {
    for (KeySource member : members) {
      each.accept(member.read(values, sink));
    }
    for (ArrayParameter array : arrays) {
      array.read(values, sink, each);
    }
  }
}
