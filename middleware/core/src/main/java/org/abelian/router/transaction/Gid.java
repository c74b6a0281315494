package org.abelian.router.transaction;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a coordinated transaction, under which its writers except the holder prepare. Never
 * used twice.
 *
 * @param holder the id of the node that keeps the decision
 * @param session whose transaction it is
 * @param number counts the coordinated commits of that router
 */
public record Gid(int holder, SessionLabel session, long number) {
  private static final Pattern FORM =
      Pattern.compile("abelian:(\\d{1,9}):([0-9a-f-]{36}:\\d{1,18})-(\\d{1,18})");

  /** Reads what {@link #toString} wrote; empty for gids that are not ours. */
  public static Optional<Gid> parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    return SessionLabel.parse(matcher.group(2))
        .map(
            session ->
                new Gid(
                    Integer.parseInt(matcher.group(1)), session, Long.parseLong(matcher.group(3))));
  }

  /** The text that PostgreSQL sees; it needs no quoting inside a string literal. */
  @Override
  public String toString() {
    return "abelian:" + holder + ":" + session + "-" + number;
  }
}
