package org.abelian.router.engine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.abelian.router.backend.Backend;
import org.abelian.router.session.ReadEvidence;
import org.abelian.router.statement.RoutedStatement;

/**
 * Has several nodes bind a read, which is when they take its snapshots, and asks them by the names
 * of its portals what these show.
 */
final class SnapshotQuestion {
  /** A portal of such a name has the node tell what its snapshot shows, as it is bound. */
  private static final String PORTAL = "abelian/";

  private final EngineContext context;
  private final RoutedStatement routed;
  private final List<Backend> backends;
  private final JointRead read;

  /** Nothing is sent yet. */
  SnapshotQuestion(
      EngineContext context, RoutedStatement routed, List<Backend> backends, JointRead read) {
    this.context = context;
    this.routed = routed;
    this.backends = backends;
    this.read = read;
  }

  /**
   * Binds it on a node.
   *
   * @param portal the name that it must have; null for any
   */
  void bind(int place, byte[] portal) throws IOException {
    Backend backend = backends.get(place);
    if (read.reads(place)) {
      SeveralNodes.enter(context, backend, routed);
    } else {
      context.backends().connect(backend);
      context.backends().touch(backend);
    }
    backend.connection.readEvidence(null);
    read.bind(place, portal);
  }

  /**
   * A name for a portal that asks. No two of a session are the same.
   *
   * @param run of the server, in which the numbers count
   * @param question up to which number nothing need be told, and, behind a slash, in which turn the
   *     snapshot is taken
   */
  byte[] portal(String run, String question) {
    String unique = SharedSnapshot.unique(context);
    return (PORTAL + unique + '/' + run + '/' + question).getBytes(StandardCharsets.US_ASCII);
  }

  /** What the nodes have told, in their order; null of those that cannot tell. */
  List<String> told() {
    List<String> told = new ArrayList<>(backends.size());
    for (int place = 0; place < backends.size(); place++) {
      told.add(backends.get(place).connection.readEvidence());
    }
    return told;
  }

  /** The same, as values. */
  static List<ReadEvidence> parsed(List<String> told) {
    List<ReadEvidence> evidence = new ArrayList<>(told.size());
    told.forEach(words -> evidence.add(ReadEvidence.parse(words)));
    return evidence;
  }

  /** All run it. */
  void runAll() {
    for (int place = 0; place < backends.size(); place++) {
      read.run(place);
    }
  }
}
