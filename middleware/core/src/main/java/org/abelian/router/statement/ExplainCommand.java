package org.abelian.router.statement;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.abelian.router.execution.PlanFormat;

/**
 * EXPLAIN of a statement that the router routes, told apart by its text: a node cannot parse
 * EXPLAIN of a CALL. A text that is not wholly understood is no such command, and goes the way of
 * all statements.
 *
 * @param prefix the text before the statement
 * @param inner the statement, behind as many blanks as the prefix has characters, so that positions
 *     in errors are those of the whole
 * @param planPrefix the same without ANALYZE, and what may stand with it alone
 * @param analyze true when the statement is to be run
 * @param format in which the plan is wanted
 * @param call true when it is a CALL, of which PostgreSQL has no plan
 * @param before the queries that run before the statement and give it rows
 */
public record ExplainCommand(
    String prefix,
    String planPrefix,
    String inner,
    boolean analyze,
    PlanFormat format,
    boolean call,
    List<String> before) {
  private static final Set<String> STATEMENTS =
      Set.of(
          "select", "insert", "update", "delete", "merge", "with", "values", "table", "call",
          "create");
  private static final Map<String, PlanFormat> FORMATS =
      Map.of("json", PlanFormat.JSON, "xml", PlanFormat.XML, "yaml", PlanFormat.YAML);
  private static final Set<String> NO = Set.of("false", "off", "0");
  private static final Set<String> ANALYZE = Set.of("analyze", "analyse");
  private static final Set<String> OF_ANALYZE =
      Set.of("analyze", "analyse", "timing", "wal", "serialize");

  /** The command, or null when the text is something else. */
  public static ExplainCommand of(String sql) {
    return new Scanner(sql).command();
  }

  /** Copies the list. */
  public ExplainCommand {
    before = List.copyOf(before);
  }

  /**
   * The same question about what runs instead of the statement.
   *
   * @param query that gives it rows; null when there is none
   */
  ExplainCommand about(String statement, String query) {
    List<String> queries = new ArrayList<>(before);
    if (query != null) {
      queries.add(query);
    }
    return new ExplainCommand(prefix, planPrefix, statement, analyze, format, call, queries);
  }

  /** The same question about another statement. */
  public String ofText(String statement) {
    return prefix + statement.stripLeading();
  }

  /** EXPLAIN of another statement that is not to be run. */
  public String planOf(String statement) {
    return analyze ? planPrefix + statement.stripLeading() : ofText(statement);
  }

  private static final class Scanner {
    private final String sql;
    private int at;
    private boolean analyze;
    private PlanFormat format = PlanFormat.TEXT;

    /** Options that EXPLAIN has without ANALYZE, as they are written. */
    private final List<String> planOptions = new ArrayList<>();

    Scanner(String sql) {
      this.sql = sql;
    }

    ExplainCommand command() {
      skipSpace();
      if (!word().equals("explain")) {
        return null;
      }
      skipSpace();
      if (!(peek('(') ? options() : words())) {
        return null;
      }
      int start = at;
      String first = word();
      if (!STATEMENTS.contains(first) && !(first.isEmpty() && peek('('))) {
        return null;
      }
      String prefix = sql.substring(0, start);
      String inner = " ".repeat(prefix.codePointCount(0, start)) + sql.substring(start);
      return new ExplainCommand(
          prefix, planPrefix(), inner, analyze, format, first.equals("call"), List.of());
    }

    private String planPrefix() {
      return planOptions.isEmpty()
          ? "EXPLAIN "
          : "EXPLAIN (" + String.join(", ", planOptions) + ") ";
    }

    /** {@code [ANALYZE] [VERBOSE]} */
    private boolean words() {
      analyze = skip(ANALYZE);
      if (skip(Set.of("verbose"))) {
        planOptions.add("VERBOSE");
      }
      return true;
    }

    /** Skips one of the words, if there is one. */
    private boolean skip(Set<String> words) {
      int start = at;
      boolean found = words.contains(word());
      if (found) {
        skipSpace();
      } else {
        at = start;
      }
      return found;
    }

    /** {@code (option [value], ...)}; false when it is something else. */
    private boolean options() {
      int start = at++;
      skipSpace();
      int first = at;
      if (peek('(') || STATEMENTS.contains(word())) {
        at = start; // The statement itself stands in parentheses.
        return true;
      }
      at = first;
      while (option()) {
        if (peek(')')) {
          at++;
          skipSpace();
          return true;
        } else if (!peek(',')) {
          return false;
        }
        at++;
        skipSpace();
      }
      return false;
    }

    private boolean option() {
      int start = at;
      String name = word();
      skipSpace();
      String value = value();
      skipSpace();
      if (!OF_ANALYZE.contains(name)) {
        planOptions.add(sql.substring(start, at));
      }
      if (ANALYZE.contains(name)) {
        analyze = !NO.contains(value);
      } else if (name.equals("format")) {
        format = FORMATS.getOrDefault(value, PlanFormat.TEXT); // Else a node refuses it.
      }
      return !name.isEmpty();
    }

    /** A word, a number or a string without quotes in it, in lower case; else nothing. */
    private String value() {
      if (!peek('\'')) {
        return word();
      }
      int end = sql.indexOf('\'', at + 1);
      if (end < 0) {
        return "";
      }
      String value = sql.substring(at + 1, end);
      at = end + 1;
      return value.toLowerCase(Locale.ROOT);
    }

    /** Letters, digits and underscores in lower case. */
    private String word() {
      int start = at;
      while (at < sql.length()
          && (Character.isLetterOrDigit(sql.charAt(at)) || sql.charAt(at) == '_')) {
        at++;
      }
      return sql.substring(start, at).toLowerCase(Locale.ROOT);
    }

    private boolean peek(char c) {
      return at < sql.length() && sql.charAt(at) == c;
    }

    private void skipSpace() {
      at = SqlSpace.skip(sql, at);
    }
  }
}
