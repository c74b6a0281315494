package org.abelian.router.execution;

/** The command tag of a statement that several nodes run: their counts added. Not thread-safe. */
public final class TagSum {
  private final String ownCommand;
  private String command = "";
  private long count;
  private boolean counted;
  private long rows;
  private boolean suspended;

  /** Which rows the client gets, and counts; null for all. */
  private RowWindow window;

  /** The tag is that of the nodes. */
  public TagSum() {
    this((String) null);
  }

  /**
   * The client gets only some of the rows that nodes give.
   *
   * @param window null for all of them
   */
  public TagSum(RowWindow window) {
    this();
    this.window = window;
  }

  /**
   * Nodes run something else than the client's statement.
   *
   * @param command of the client; null for that of the nodes
   */
  public TagSum(String command) {
    ownCommand = command;
  }

  /** Adds a node's tag. */
  public void add(String tag) {
    int space = tag.lastIndexOf(' ');
    boolean number =
        space >= 0 && space + 1 < tag.length() && Character.isDigit(tag.charAt(space + 1));
    command = number ? tag.substring(0, space) : tag;
    if (number) {
      counted = true;
      long more = Long.parseLong(tag.substring(space + 1));
      count += more;
      if (window != null) {
        window.ends(more);
      }
    }
  }

  /** A row has come; true when it is one for the client. */
  boolean row() {
    if (window != null && !window.passes()) {
      return false;
    }
    rows++;
    return true;
  }

  /** A portal reached its row limit. */
  void suspended() {
    suspended = true;
  }

  /** The number of rows that the tags name. */
  public long count() {
    return count;
  }

  /** The number of rows that were passed on. */
  public long rows() {
    return rows;
  }

  /** True when a portal reached its row limit. */
  public boolean isSuspended() {
    return suspended;
  }

  /** The tag of the whole. */
  public String tag() {
    String name = ownCommand == null ? command : ownCommand;
    return counted ? name + " " + (window == null ? count : rows) : name;
  }
}
