package org.abelian.workloads.types;

import java.util.List;
import org.abelian.workloads.types.Idiom.Ratio;

/** Best scores of the players of one game: a table of players against a set of scores. */
final class Leaderboard {
  private static final int PLAYERS = 1000;

  private Leaderboard() {}

  static Idiom idiom() {
    String score = "\\set p random(1, " + PLAYERS + ")\n\\set s random(1, 1000000)\n";
    String inBounds = "BETWEEN least(%d, 1) AND " + PLAYERS;
    Way table =
        new Way(
            "board_table",
            List.of(
                "CREATE TABLE board_table (game int, player text, best bigint, PRIMARY KEY (game,"
                    + " player))"),
            score
                + "INSERT INTO board_table VALUES (1, 'player ' || :p, :s) ON CONFLICT (game,"
                + " player) DO UPDATE SET best = greatest(board_table.best, excluded.best);\n",
            "SELECT count(*) " + inBounds + " FROM board_table");
    Way set =
        new Way(
            "board_set",
            List.of(
                "CREATE TABLE board_set (game int PRIMARY KEY, best abelian.scored_set)",
                "INSERT INTO board_set VALUES (1, '{}')"),
            score
                + "UPDATE board_set SET best = abelian.put_greater(best, 'player ' || :p, :s)"
                + " WHERE game = 1;\n",
            "SELECT abelian.size(best) " + inBounds + " FROM board_set");
    return new Idiom(
        "leaderboard",
        List.of(table, set),
        List.of(new Ratio("leaderboard_over_table", set.name(), table.name())));
  }
}
