package org.abelian.router.protocol;

/** The numbers (OIDs) that PostgreSQL gives to types, tables and other objects. */
public final class ObjectNumber {
  private static final int FIRST_OF_USERS = 16384;

  private ObjectNumber() {}

  /** True for what is not PostgreSQL's own: on another node it has another number. */
  public static boolean isUsers(int number) {
    return Integer.compareUnsigned(number, FIRST_OF_USERS) >= 0;
  }
}
