package org.abelian.workloads.types;

import java.util.List;
import org.abelian.workloads.types.Idiom.Ratio;

/** Members join a group: a table of memberships against a set in the group's row. */
final class SetAdd {
  private static final int FEW = 1000;
  private static final int MANY = 1_000_000;

  private SetAdd() {}

  /** Some members, who soon are there already. */
  static Idiom idiom() {
    return idiom("set_add", "members", FEW);
  }

  /** Nearly everybody is new, so that the set grows. */
  static Idiom growing() {
    return idiom("set_growth", "crowd", MANY);
  }

  private static Idiom idiom(String name, String prefix, int members) {
    String member = "\\set m random(1, " + members + ")\n";
    String inBounds = "BETWEEN least(%1$d, 1) AND least(%1$d, " + members + ")";
    String table = prefix + "_table";
    String set = prefix + "_set";
    Way rows =
        new Way(
            table,
            List.of("CREATE TABLE " + table + " (id int, member text, PRIMARY KEY (id, member))"),
            member
                + "INSERT INTO "
                + table
                + " VALUES (1, 'member ' || :m) ON CONFLICT DO NOTHING;\n",
            "SELECT count(*) " + inBounds + " FROM " + table);
    Way column =
        new Way(
            set,
            List.of(
                "CREATE TABLE " + set + " (id int PRIMARY KEY, members abelian.set)",
                "INSERT INTO " + set + " VALUES (1, '{}')"),
            member
                + "UPDATE "
                + set
                + " SET members = abelian.add(members, 'member ' || :m) WHERE id = 1;\n",
            "SELECT abelian.size(members) " + inBounds + " FROM " + set);
    return new Idiom(
        name, List.of(rows, column), List.of(new Ratio(name + "_over_table", set, table)));
  }
}
