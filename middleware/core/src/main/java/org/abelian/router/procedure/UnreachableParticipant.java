package org.abelian.router.procedure;

import java.util.List;
import java.util.function.Predicate;
import org.abelian.router.backend.Backend;
import org.abelian.router.backend.BackendSession;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.transaction.NodeUnreachableException;

/**
 * The one error of an independent call that cannot reach one of its nodes before anything is
 * executed, whichever message found out.
 */
public final class UnreachableParticipant {
  private UnreachableParticipant() {}

  /** Makes sure that there is a connection to each participant. */
  public static void connect(BackendSession session, List<Backend> backends) {
    for (Backend backend : backends) {
      try {
        session.connect(backend);
      } catch (AbelianException failed) {
        throw failed.state() == SqlState.UNABLE_TO_CONNECT
            ? error(backend.toString(), failed.getMessage())
            : failed;
      }
    }
  }

  /** For a connection that was lost with a proposal. */
  public static AbelianException error(List<Backend> backends, NodeLostException lost) {
    return error(name(backends, backend -> backend.pool.address().equals(lost.address())), lost);
  }

  /** For a lane whose state could not be asked. */
  public static AbelianException error(
      List<Backend> backends, NodeUnreachableException unreachable) {
    return error(name(backends, backend -> backend.nodeId == unreachable.node()), unreachable);
  }

  private static String name(List<Backend> backends, Predicate<Backend> isMeant) {
    return backends.stream().filter(isMeant).map(Backend::toString).findFirst().orElse("a node");
  }

  private static AbelianException error(String node, Exception cause) {
    return error(node, String.valueOf(cause.getMessage()));
  }

  private static AbelianException error(String node, String reason) {
    return new AbelianException(
        SqlState.CONNECTION_FAILURE,
        node + " cannot be reached; nothing of this transaction took effect",
        reason,
        "Try the transaction again. While the node is down, only what does not need it can run.",
        null);
  }
}
