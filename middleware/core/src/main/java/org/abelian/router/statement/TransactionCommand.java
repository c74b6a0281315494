package org.abelian.router.statement;

import java.util.ArrayList;
import java.util.List;

/**
 * A statement that begins or ends a transaction or savepoint. These few are told apart by their
 * text, not by a node's analysis: they must work when the transaction has failed and a node would
 * analyse nothing. A text that is not wholly understood is none of them; the node's analysis tells
 * when it is one all the same, and routing refuses it.
 *
 * @param word the first word, in lower case
 * @param savepoint the name of a savepoint, folded as PostgreSQL does; null otherwise
 * @param chain true for AND CHAIN
 * @param modes true when BEGIN asks for any mode of the transaction
 * @param isolation the level that it asks for, in lower case; null when it asks for none
 */
public record TransactionCommand(
    Kind kind, String word, String savepoint, boolean chain, boolean modes, String isolation) {
  /** What it does. */
  public enum Kind {
    BEGIN,
    COMMIT,
    ROLLBACK,
    SAVEPOINT,
    RELEASE,
    ROLLBACK_TO
  }

  /** The command, or null when the text is something else. */
  public static TransactionCommand of(String sql) {
    Words words = Words.of(sql);
    return words == null ? null : new Parser(words).command();
  }

  /** The words of a short command; comments are passed over, and may be of any length. */
  private static final class Words {
    private static final int MOST = 24;
    private static final int LONGEST_NAME = 63;

    private final List<String> words = new ArrayList<>();

    /** Names in quotes; they are no keywords. */
    private final List<Boolean> quoted = new ArrayList<>();

    private final String sql;
    private int at;

    private Words(String sql) {
      this.sql = sql;
    }

    /** Null when the text has other things in it than words, names, commas and semicolons. */
    static Words of(String sql) {
      Words words = new Words(sql);
      while (words.skipSpace()) {
        if (words.words.size() == MOST || !words.next()) {
          return null;
        }
        if (words.words.size() == 1 && !words.mayBeCommand()) {
          return null;
        }
      }
      return words;
    }

    private boolean mayBeCommand() {
      return switch (words.get(0)) {
        case "begin", "start", "commit", "end", "rollback", "abort", "savepoint", "release" ->
            !quoted.get(0);
        default -> false;
      };
    }

    /** Goes to the next character that means something; false at the end. */
    private boolean skipSpace() {
      at = SqlSpace.skip(sql, at);
      return at < sql.length();
    }

    private boolean next() {
      char c = sql.charAt(at);
      if (c == ',' || c == ';') {
        at++;
        return add(String.valueOf(c), false);
      }
      return c == '"' ? quotedName() : word();
    }

    private boolean quotedName() {
      StringBuilder name = new StringBuilder();
      for (at++; at < sql.length(); at++) {
        char c = sql.charAt(at);
        if (c != '"') {
          name.append(c);
        } else if (at + 1 < sql.length() && sql.charAt(at + 1) == '"') {
          name.append(c);
          at++;
        } else {
          at++;
          return !name.isEmpty() && add(name.toString(), true);
        }
      }
      return false;
    }

    private boolean word() {
      int start = at;
      while (at < sql.length() && isPart(sql.charAt(at), at > start)) {
        at++;
      }
      StringBuilder folded = new StringBuilder(sql.substring(start, at));
      for (int i = 0; i < folded.length(); i++) {
        char c = folded.charAt(i);
        if (c >= 'A' && c <= 'Z') {
          folded.setCharAt(i, (char) (c + 32));
        }
      }
      boolean isPrefix = at < sql.length() && (sql.charAt(at) == '\'' || sql.charAt(at) == '&');
      return at > start && !isPrefix && add(folded.toString(), false);
    }

    private static boolean isPart(char c, boolean later) {
      return c >= 'a' && c <= 'z'
          || c >= 'A' && c <= 'Z'
          || c == '_'
          || c >= 0x80
          || later && (c >= '0' && c <= '9' || c == '$');
    }

    private boolean add(String word, boolean inQuotes) {
      words.add(cut(word));
      quoted.add(inQuotes);
      return true;
    }

    /** PostgreSQL cuts names after so many bytes. */
    private static String cut(String name) {
      int bytes = 0;
      for (int i = 0; i < name.length(); ) {
        int point = name.codePointAt(i);
        bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
        if (bytes > LONGEST_NAME) {
          return name.substring(0, i);
        }
        i += Character.charCount(point);
      }
      return name;
    }
  }

  private static final class Parser {
    private final Words words;
    private int at;

    Parser(Words words) {
      this.words = words;
    }

    TransactionCommand command() {
      if (words.words.isEmpty()) {
        return null;
      }
      String first = words.words.get(at++);
      TransactionCommand command =
          switch (first) {
            case "begin" -> begin(first);
            case "start" -> take("transaction") ? begin(first) : null;
            case "commit", "end" -> ending(Kind.COMMIT, first);
            case "rollback", "abort" -> ending(Kind.ROLLBACK, first);
            case "savepoint" -> named(Kind.SAVEPOINT, first);
            case "release" -> {
              takeSavepoint();
              yield named(Kind.RELEASE, first);
            }
            default -> null;
          };
      while (take(";")) {
        // An empty statement may follow.
      }
      return at == words.words.size() ? command : null;
    }

    private boolean take(String keyword) {
      boolean found = is(at, keyword);
      at += found ? 1 : 0;
      return found;
    }

    private boolean is(int index, String keyword) {
      return index < words.words.size()
          && !words.quoted.get(index)
          && words.words.get(index).equals(keyword);
    }

    private boolean takeAll(String... keywords) {
      for (int i = 0; i < keywords.length; i++) {
        if (!is(at + i, keywords[i])) {
          return false;
        }
      }
      at += keywords.length;
      return true;
    }

    private void takeWork() {
      if (!take("work")) {
        take("transaction");
      }
    }

    /** The word is a name itself when nothing follows. */
    private void takeSavepoint() {
      if (is(at, "savepoint") && at + 1 < words.words.size() && !is(at + 1, ";")) {
        at++;
      }
    }

    private TransactionCommand begin(String word) {
      if (word.equals("begin")) {
        takeWork();
      }
      String isolation = null;
      boolean modes = at < words.words.size() && !is(at, ";");
      for (boolean first = true; at < words.words.size() && !is(at, ";"); first = false) {
        if (take(",") && first) {
          return null;
        }
        if (takeAll("isolation", "level")) {
          isolation = level();
          if (isolation == null) {
            return null;
          }
        } else if (!takeAll("read", "only")
            && !takeAll("read", "write")
            && !take("deferrable")
            && !takeAll("not", "deferrable")) {
          return null;
        }
      }
      return new TransactionCommand(Kind.BEGIN, word, null, false, modes, isolation);
    }

    private String level() {
      if (take("serializable")) {
        return "serializable";
      } else if (takeAll("repeatable", "read")) {
        return "repeatable read";
      } else if (takeAll("read", "committed")) {
        return "read committed";
      }
      return takeAll("read", "uncommitted") ? "read uncommitted" : null;
    }

    private TransactionCommand ending(Kind kind, String word) {
      takeWork();
      if (kind == Kind.ROLLBACK && word.equals("rollback") && take("to")) {
        takeSavepoint();
        return named(Kind.ROLLBACK_TO, word);
      }
      boolean chain = takeAll("and", "chain");
      if (!chain) {
        takeAll("and", "no", "chain");
      }
      return new TransactionCommand(kind, word, null, chain, false, null);
    }

    private TransactionCommand named(Kind kind, String word) {
      if (at == words.words.size() || is(at, ";") || is(at, ",")) {
        return null;
      }
      return new TransactionCommand(kind, word, words.words.get(at++), false, false, null);
    }
  }
}
