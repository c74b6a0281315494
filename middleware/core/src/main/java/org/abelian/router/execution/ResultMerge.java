package org.abelian.router.execution;

import java.util.Arrays;

/**
 * Makes one result of those that the participants of a distributed procedure give. Rows come
 * participant by participant, in their order. Not thread-safe.
 */
public abstract class ResultMerge {
  private final TagSum tags = new TagSum();
  private RuntimeException failure;

  ResultMerge() {}

  /** The first row wins that has a value. */
  public static ResultMerge first() {
    return new FirstRow();
  }

  /** Every row passes. */
  public static ResultMerge union() {
    return new AllRows();
  }

  /** Takes a DataRow; one that cannot be merged makes {@link #finish} fail, so that all is read. */
  final void take(ClientOutput output, byte[] array, int at, int length) {
    try {
      if (failure == null) {
        row(output, array, at, length);
      }
    } catch (RuntimeException unmergeable) {
      failure = unmergeable;
    }
  }

  /** Takes a DataRow, or throws why it cannot be merged. */
  abstract void row(ClientOutput output, byte[] array, int at, int length);

  /** Gives what is left to give; returns how many rows the client gets in all. */
  abstract long rows(ClientOutput output);

  void tag(String tag) {
    tags.add(tag);
  }

  /** All participants have answered: ends the result, or throws why there is none. */
  public void finish(ClientOutput output) {
    if (failure != null) {
      throw failure;
    }
    long rows = rows(output);
    String tag = tags.tag();
    int space = tag.lastIndexOf(' ');
    boolean counted = space >= 0 && Character.isDigit(tag.charAt(tag.length() - 1));
    output.commandComplete(counted ? tag.substring(0, space + 1) + rows : tag);
  }

  /** The first row wins. */
  private static final class FirstRow extends ResultMerge {
    private byte[] first;

    @Override
    void row(ClientOutput output, byte[] array, int at, int length) {
      if (first == null || isEmpty(first)) {
        byte[] row = Arrays.copyOfRange(array, at, at + length);
        first = first == null || !isEmpty(row) ? row : first;
      }
    }

    /** CALL gives a row of NULLs where the procedure assigned nothing. */
    private static boolean isEmpty(byte[] row) {
      for (byte[] value : NodeCall.row(row, 0)) {
        if (value != null) {
          return false;
        }
      }
      return true;
    }

    @Override
    long rows(ClientOutput output) {
      if (first == null) {
        return 0;
      }
      output.queue().append(first, 0, first.length);
      return 1;
    }
  }

  /** Every row passes. */
  private static final class AllRows extends ResultMerge {
    private long passed;

    @Override
    void row(ClientOutput output, byte[] array, int at, int length) {
      output.queue().append(array, at, length);
      passed++;
    }

    @Override
    long rows(ClientOutput output) {
      return passed;
    }
  }
}
