package org.abelian.router.transaction;

import java.util.List;

/**
 * A transaction to commit.
 *
 * @param session the router's number of the client's session
 * @param token what the only writer reported as abelian.transaction_id, or null if it never did; of
 *     several writers the gid is the token
 * @param writers nodes on which it has a transaction id, in the order of their first writes; the
 *     first becomes the holder
 * @param readers nodes on which it has none
 * @param serializable true for a transaction at SERIALIZABLE that has worked on several nodes: then
 *     those on which it has only read are writers, too
 */
public record CommitRequest(
    long session,
    String token,
    List<Participant> writers,
    List<Participant> readers,
    boolean serializable) {
  /** At another level. */
  public CommitRequest(
      long session, String token, List<Participant> writers, List<Participant> readers) {
    this(session, token, writers, readers, false);
  }

  /** Copies the lists. */
  public CommitRequest {
    writers = List.copyOf(writers);
    readers = List.copyOf(readers);
  }
}
