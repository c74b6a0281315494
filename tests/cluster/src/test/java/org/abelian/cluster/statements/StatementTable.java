package org.abelian.cluster.statements;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What became of the cases, and the page of the documentation that tells it. */
final class StatementTable {
  /** What the router does with a statement. */
  enum Outcome {
    /** What one PostgreSQL does. */
    EQUAL,
    /** It refuses it. */
    REFUSED,
    /** There is no statement with that tag. */
    NONE
  }

  private static final String BEGIN = "<!-- begin of the table -->";
  private static final String END = "<!-- end of the table -->";
  private static final Path PAGE = Path.of("docs/reference/statements.md");
  private static final Path TAGS = Path.of("/usr/include/postgresql/15/server/tcop/cmdtaglist.h");
  private static final Pattern TAG = Pattern.compile("PG_CMDTAG\\(\\w+, \"([^\"]+)\"");

  private final Map<String, Map<Outcome, List<String>>> outcomes = new TreeMap<>();

  void add(StatementCase one, Outcome outcome) {
    outcomes
        .computeIfAbsent(one.tag(), tag -> new LinkedHashMap<>())
        .computeIfAbsent(outcome, any -> new ArrayList<>())
        .add(one.title());
  }

  /** The page tells the outcome of each case, and there is one for each command tag. */
  void check(List<StatementCase> cases) throws IOException {
    Set<String> tags = new TreeSet<>();
    Matcher matcher = TAG.matcher(Files.readString(TAGS));
    while (matcher.find()) {
      if (!matcher.group(1).equals("???")) {
        tags.add(matcher.group(1));
      }
    }
    Set<String> known = cases.stream().map(StatementCase::tag).collect(Collectors.toSet());
    assertEquals(tags, new TreeSet<>(known), "command tags that have a case");
    Path page = root().resolve(PAGE);
    String text = Files.readString(page);
    int from = text.indexOf(BEGIN) + BEGIN.length();
    int to = text.indexOf(END);
    Path written = root().resolve("target/statements.md");
    Files.writeString(written, text.substring(0, from) + markdown() + text.substring(to));
    assertEquals(
        text.substring(from, to),
        markdown(),
        "the page tells something else; what it should tell is in " + written);
  }

  private String markdown() {
    StringBuilder text = new StringBuilder("\n\n| command tag | as one PostgreSQL | refused |\n");
    text.append("|---|---|---|\n");
    outcomes.forEach(
        (tag, found) ->
            text.append("| ")
                .append(tag)
                .append(" | ")
                .append(
                    titles(found, found.containsKey(Outcome.NONE) ? Outcome.NONE : Outcome.EQUAL))
                .append(" | ")
                .append(titles(found, Outcome.REFUSED))
                .append(" |\n"));
    return text.append('\n').toString();
  }

  private static String titles(Map<Outcome, List<String>> found, Outcome outcome) {
    return String.join("<br>", found.getOrDefault(outcome, List.of()));
  }

  /** The folder of the whole repository. */
  private static Path root() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve(PAGE))) {
      folder = folder.getParent();
      if (folder == null) {
        throw new IllegalStateException("no " + PAGE + " above " + Path.of("").toAbsolutePath());
      }
    }
    return folder;
  }

  /** The statements of a resource, one a line. */
  static List<String> lines(String resource) throws IOException {
    try (InputStream in = StatementTable.class.getResourceAsStream(resource)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.startsWith("--") && !line.isBlank())
          .toList();
    }
  }
}
