package org.abelian.router.execution;

/** What becomes of the answers to a statement whose client is to get something else. */
public interface Diversion {
  /** Takes the answers as if it were the client. */
  ClientOutput staged();

  /** Makes of what has come what the client is to get, if it is to get anything. */
  void passOn(ClientOutput client);

  /** All answers have come. */
  void finish(ClientOutput client);

  /** True when the client should take something before more comes. */
  boolean waitsFor(ClientOutput client);

  /** Gives up the memory. */
  void close();
}
