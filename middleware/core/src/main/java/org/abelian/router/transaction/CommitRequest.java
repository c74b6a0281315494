package org.abelian.router.transaction;

import java.util.List;

/**
 * A transaction to commit.
 *
 * @param session the router's number of the client's session
 * @param token what the only writer reported as abelian.transaction_id, or null if it never did; of
 *     several writers the gid is the token
 * @param writers nodes on which it has a transaction id; the first becomes the holder
 * @param last those of the others that are told when all of them have committed: what locked first
 *     is let go last, so that who waits for it finds the rest
 * @param readers nodes on which it has none, and no locks but those of plain reads
 * @param lockHolders nodes on which it has none, and may have locks
 * @param serializable true for a transaction at SERIALIZABLE that has worked on several nodes: then
 *     those on which it has only read are writers, too, unless it has only read on all of them
 */
public record CommitRequest(
    long session,
    String token,
    List<Participant> writers,
    List<Participant> last,
    List<Participant> readers,
    List<Participant> lockHolders,
    boolean serializable) {
  /** At another level, where nobody waits for one node's locks in particular. */
  public CommitRequest(
      long session, String token, List<Participant> writers, List<Participant> readers) {
    this(session, token, writers, List.of(), readers, List.of(), false);
  }

  /** Copies the lists. */
  public CommitRequest {
    writers = List.copyOf(writers);
    last = List.copyOf(last);
    readers = List.copyOf(readers);
    lockHolders = List.copyOf(lockHolders);
  }
}
