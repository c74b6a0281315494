package org.abelian.router.routing;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.analysis.Value;

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
        arrays.add(new ArrayParameter(elements.number(), PgType.elementOf(type), reader));
        continue;
      }
      KeySource member = KeySource.of(value, reader, facts);
      if (member == null) {
        return Optional.empty();
      }
      members.add(member);
    }
    return Optional.of(new KeyList(members, arrays));
  }

  /** The partitions of the members; NULL and what no row equals are left out. */
  int[] partitions(BoundValues values) {
    List<Integer> found = new ArrayList<>();
    for (KeySource member : members) {
      found.add(member.partition(values));
    }
    for (ArrayParameter array : arrays) {
      array.addPartitions(values, found);
    }
    return found.stream().mapToInt(Integer::intValue).filter(at -> at >= 0).toArray();
  }
}
