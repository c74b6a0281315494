package org.abelian.workloads.types;

import java.util.List;
import org.abelian.workloads.types.Idiom.Ratio;

/** Members join a group: a table of memberships against a set in the group's row. */
final class SetAdd {
  private static final int MEMBERS = 1000;

  private SetAdd() {}

  static Idiom idiom() {
    String member = "\\set m random(1, " + MEMBERS + ")\n";
    String inBounds = "BETWEEN least(%d, 1) AND " + MEMBERS;
    Way table =
        new Way(
            "members_table",
            List.of("CREATE TABLE members_table (id int, member text, PRIMARY KEY (id, member))"),
            member
                + "INSERT INTO members_table VALUES (1, 'member ' || :m) ON CONFLICT DO NOTHING;\n",
            "SELECT count(*) " + inBounds + " FROM members_table");
    Way set =
        new Way(
            "members_set",
            List.of(
                "CREATE TABLE members_set (id int PRIMARY KEY, members abelian.set)",
                "INSERT INTO members_set VALUES (1, '{}')"),
            member
                + "UPDATE members_set SET members = abelian.add(members, 'member ' || :m) WHERE id"
                + " = 1;\n",
            "SELECT abelian.size(members) " + inBounds + " FROM members_set");
    return new Idiom(
        "set_add",
        List.of(table, set),
        List.of(new Ratio("set_add_over_table", set.name(), table.name())));
  }
}
