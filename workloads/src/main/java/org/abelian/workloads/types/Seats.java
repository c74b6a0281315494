package org.abelian.workloads.types;

import java.util.List;
import org.abelian.workloads.types.Idiom.Ratio;

/**
 * Guests book a seat of one event, or give it back: a table of bookings beside a number of seats
 * taken, against a set whose size is bounded.
 */
final class Seats {
  private static final int GUESTS = 400;
  private static final int SEATS = 300;

  private Seats() {}

  static Idiom idiom() {
    return new Idiom(
        "seats",
        List.of(plain(), set()),
        List.of(new Ratio("seats_over_plain", "seats_set", "seats_plain")));
  }

  private static Way plain() {
    String book =
        """
        CREATE OR REPLACE FUNCTION seats_plain_book(who text) RETURNS boolean LANGUAGE plpgsql AS $$
        BEGIN
          INSERT INTO seats_plain_guests VALUES (1, who) ON CONFLICT DO NOTHING;
          IF NOT FOUND THEN RETURN true; END IF;
          UPDATE seats_plain SET taken = taken + 1 WHERE id = 1 AND taken < seats;
          IF FOUND THEN RETURN true; END IF;
          DELETE FROM seats_plain_guests WHERE event = 1 AND guest = who;
          RETURN false;
        END $$\
        """;
    String leave =
        """
        CREATE OR REPLACE FUNCTION seats_plain_leave(who text) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
          DELETE FROM seats_plain_guests WHERE event = 1 AND guest = who;
          IF FOUND THEN UPDATE seats_plain SET taken = taken - 1 WHERE id = 1; END IF;
        END $$\
        """;
    return new Way(
        "seats_plain",
        List.of(
            "DROP TABLE IF EXISTS seats_plain_guests",
            "CREATE TABLE seats_plain_guests (event int, guest text, PRIMARY KEY (event, guest))",
            "CREATE TABLE seats_plain (id int PRIMARY KEY, seats int, taken int DEFAULT 0)",
            "INSERT INTO seats_plain VALUES (1, %d)".formatted(SEATS),
            book,
            leave),
        script(
            "SELECT seats_plain_book('guest ' || :g);",
            "SELECT seats_plain_leave('guest ' || :g);"),
        "SELECT taken = (SELECT count(*) FROM seats_plain_guests) AND taken BETWEEN least(%d, 0)"
            + " AND seats FROM seats_plain");
  }

  private static Way set() {
    String update =
        "UPDATE seats_set SET guests = abelian.%s(guests, 'guest ' || :g) WHERE id = 1;";
    return new Way(
        "seats_set",
        List.of(
            "CREATE TABLE seats_set (id int PRIMARY KEY, seats int, guests abelian.set NOT NULL"
                + " DEFAULT '{}', CHECK (abelian.size(guests) <= seats))",
            "INSERT INTO seats_set VALUES (1, %d)".formatted(SEATS)),
        script(update.formatted("add"), update.formatted("remove")),
        "SELECT abelian.size(guests) BETWEEN least(%d, 0) AND seats FROM seats_set");
  }

  private static String script(String book, String leave) {
    return "\\set g random(1, %d)\n\\set leaves random(0, 1)\n\\if :leaves\n%s\n\\else\n%s\n\\endif\n"
        .formatted(GUESTS, leave, book);
  }
}
