package org.abelian.router.transaction.independent;

import java.util.Map;
import java.util.TreeMap;

/**
 * Which calls of a fragment a node could not run, and why: the text in the node's record. That of a
 * single call is its error. Where several calls share a transaction, each that failed stands there
 * as in the intent, behind a mark with its signature, and then its number and its error.
 */
public final class CallFailures {
  /** Begins the text of a shared fragment. */
  private static final String MARK = "\n--abelian ";

  private static final String NUMBER = "call ";

  private final String text;
  private final Map<Integer, String> errors = new TreeMap<>();

  private CallFailures(String text) {
    this.text = text;
  }

  /**
   * Reads a record.
   *
   * @param text of the column; null when nothing failed
   */
  public static CallFailures of(String text) {
    CallFailures failures = new CallFailures(text == null ? "" : text);
    if (failures.text.startsWith(MARK)) {
      for (String entry : failures.text.substring(MARK.length()).split(MARK)) {
        failures.read(entry.substring(entry.indexOf('\n') + 1));
      }
    } else if (text != null) {
      failures.errors.put(0, text);
    }
    return failures;
  }

  private void read(String entry) {
    int colon = entry.indexOf(": ");
    errors.put(
        Integer.valueOf(entry.substring(NUMBER.length(), colon)), entry.substring(colon + 2));
  }

  /** Why that call failed; null when it has not. */
  public String error(int call) {
    return errors.get(call);
  }

  /** The errors of the calls of a procedure, one after the other, without the marks. */
  public String errors(String signature) {
    if (!text.startsWith(MARK)) {
      return text;
    }
    StringBuilder found = new StringBuilder();
    for (String entry : text.split(MARK)) {
      if (entry.startsWith("procedure " + signature + "\n")) {
        found.append(found.isEmpty() ? "" : "; ");
        found.append(entry.substring(entry.indexOf(": ", entry.indexOf('\n')) + 2));
      }
    }
    return found.toString();
  }

  /** What the record says when one more call of the fragment has failed. */
  static String with(Fragment fragment, Fragment.Call call, String error) {
    String line = error.replace('\n', ' ');
    if (!fragment.isShared()) {
      return line;
    }
    String before = fragment.failure() == null ? "" : fragment.failure();
    String entry = NUMBER + call.number() + ": " + line;
    return before + Fragment.CALL_MARK + call.signature() + "\n" + entry;
  }

  @Override
  public String toString() {
    return text;
  }
}
