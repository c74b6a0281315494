package org.abelian.router.transaction;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The name of a coordinated transaction, under which its writers except the holder prepare. Never
 * used twice.
 *
 * @param holder the id of the node that keeps the decision
 * @param session whose transaction it is
 * @param number counts the coordinated commits of that router
 * @param nodes those that it commits on, for reads of several nodes; none when it does not tell
 */
public record Gid(int holder, SessionLabel session, long number, List<Integer> nodes) {
  /** How all of them begin, and no names of other transactions. */
  public static final String PREFIX = "abelian:";

  private static final Pattern FORM =
      Pattern.compile(
          PREFIX
              + "(\\d{1,9}):([0-9a-f-]{36}:\\d{1,18})-(\\d{1,18})"
              + "(?:/(\\d{1,9}(?:,\\d{1,9})*))?");

  /** PostgreSQL's names of prepared transactions are shorter than 200 bytes. */
  private static final int LIST_MAX = 80;

  /** Copies the list. */
  public Gid {
    nodes = List.copyOf(nodes);
  }

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
                    Integer.parseInt(matcher.group(1)),
                    session,
                    Long.parseLong(matcher.group(3)),
                    list(matcher.group(4))));
  }

  private static List<Integer> list(String text) {
    return text == null ? List.of() : Arrays.stream(text.split(",")).map(Integer::valueOf).toList();
  }

  /** The text that PostgreSQL sees; it needs no quoting inside a string literal. */
  @Override
  public String toString() {
    String list = nodes.stream().map(String::valueOf).collect(Collectors.joining(","));
    boolean told = !list.isEmpty() && list.length() <= LIST_MAX;
    return PREFIX + holder + ":" + session + "-" + number + (told ? "/" + list : "");
  }
}
