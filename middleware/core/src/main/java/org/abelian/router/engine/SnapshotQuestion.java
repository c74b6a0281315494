package org.abelian.router.engine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.abelian.router.backend.Backend;
import org.abelian.router.execution.NodeReply;
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

  /** Witnesses that have been asked and take no part in anything else. */
  private final List<Backend> witnesses = new ArrayList<>();

  /** What all have told, from when they have answered until they are asked anew; else null. */
  private List<String> told;

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
    told = null;
    if (!read.reads(place)) {
      bindWitness(place, portal);
      return;
    }
    SeveralNodes.enter(context, backend, routed);
    backend.connection.readEvidence(null);
    read.bind(place, portal);
  }

  private void bindWitness(int place, byte[] portal) throws IOException {
    Backend backend = backends.get(place);
    boolean isApart = !backend.begun && !backend.touched;
    context.backends().connect(backend);
    context.backends().touch(backend);
    backend.connection.readEvidence(null);
    read.bind(place, portal);
    if (isApart) {
      witnesses.add(backend);
    } else {
      read.close(place); // It has told by then.
    }
  }

  /**
   * Has the nodes answer. What witnesses have begun for that is over: nothing that comes later in
   * the client's group of messages meets it.
   */
  void answer() throws IOException {
    for (Backend witness : witnesses) {
      context.backends().sync(witness);
      context.replies().add(NodeReply.end(witness.connection));
    }
    context.backends().requestAnswers();
    context.replies().runAll();
    told = told();
    for (Backend witness : witnesses) {
      if (witness.connection != null) { // Else it was lost.
        context.backends().release(witness);
      }
    }
    witnesses.clear();
  }

  /** True when witnesses have been asked that have not answered. */
  boolean awaitsWitnesses() {
    return !witnesses.isEmpty();
  }

  /**
   * A name for a portal that asks. No two of a session are the same.
   *
   * @param run of the server, in which the numbers count
   * @param question up to which number nothing need be told, and, behind a slash, in which turn the
   *     snapshot is taken
   */
  static byte[] portal(EngineContext context, String run, String question) {
    String unique = SharedSnapshot.unique(context);
    return (PORTAL + unique + '/' + run + '/' + question).getBytes(StandardCharsets.US_ASCII);
  }

  /** What the nodes have told, in their order; null of those that cannot tell. */
  List<String> told() {
    if (told != null) {
      return told;
    }
    List<String> now = new ArrayList<>(backends.size());
    for (Backend backend : backends) {
      now.add(backend.connection == null ? null : backend.connection.readEvidence());
    }
    return now;
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
