package org.abelian.parity;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A script for psql, cut into statements where psql would send one, and the lines that {@code psql
 * -a} echoes.
 */
final class PsqlScript {
  private static final Pattern COPY_FROM_STDIN =
      Pattern.compile(
          "^\\s*\\\\?copy\\b.*\\bfrom\\s+(stdin|pstdin)\\b",
          Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  private final List<Statement> statements = new ArrayList<>();
  private final List<EchoedLine> echoed = new ArrayList<>();

  /** A line that psql prints before it runs what ends there. */
  record EchoedLine(String text, int statement) {}

  PsqlScript(List<String> lines) {
    PsqlLexer lexer = new PsqlLexer();
    int first = -1;
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      if (line.isEmpty() && !lexer.insideLiteral()) {
        continue;
      }
      echoed.add(new EchoedLine(line, statements.size()));
      PsqlLexer.End end = lexer.line(line);
      if (first < 0 && lexer.sawContent()) {
        first = i;
      }
      if (end == PsqlLexer.End.NONE) {
        continue;
      }
      Statement statement =
          new Statement(first, i, String.join("\n", lines.subList(Math.max(first, 0), i + 1)));
      statements.add(statement);
      first = -1;
      if (COPY_FROM_STDIN.matcher(withoutComments(statement.text())).find()) {
        i = endOfData(lines, i + 1);
      }
    }
    if (first >= 0) {
      statements.add(
          new Statement(
              first, lines.size() - 1, String.join("\n", lines.subList(first, lines.size()))));
    }
  }

  List<Statement> statements() {
    return statements;
  }

  List<EchoedLine> echoed() {
    return echoed;
  }

  /** The line that ends the data of COPY FROM STDIN, which psql does not echo. */
  private static int endOfData(List<String> lines, int from) {
    for (int i = from; i < lines.size(); i++) {
      if (lines.get(i).equals("\\.")) {
        return i;
      }
    }
    return lines.size();
  }

  private static String withoutComments(String text) {
    return text.replaceAll("(?m)^\\s*--.*$", "").stripLeading();
  }
}
