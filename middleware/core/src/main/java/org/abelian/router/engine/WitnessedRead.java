package org.abelian.router.engine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.abelian.router.backend.Backend;

/**
 * A read for which nodes are asked that it reads nothing of. These witnesses take a snapshot and
 * tell what it shows, no more (docs/protocols/reads.md).
 */
final class WitnessedRead implements JointRead {
  private static final byte[] UNNAMED = {};

  private final JointRead read;

  /** The places that the nodes of the read have in it; -1 for witnesses. */
  private final List<Integer> places = new ArrayList<>();

  /** Of the witnesses; null for nodes of the read. */
  private final List<NodePortal> portals = new ArrayList<>();

  /**
   * Nothing is sent yet.
   *
   * @param nodes of the read, in its order
   * @param asked all who are asked
   */
  WitnessedRead(EngineContext context, JointRead read, List<Integer> nodes, List<Backend> asked) {
    this.read = read;
    for (Backend backend : asked) {
      int place = nodes.indexOf(backend.nodeId);
      places.add(place);
      portals.add(place < 0 ? new NodePortal(context, backend, UNNAMED) : null);
    }
  }

  @Override
  public void bind(int place, byte[] portal) throws IOException {
    NodePortal witness = portals.get(place);
    if (witness == null) {
      read.bind(places.get(place), portal);
      return;
    }
    if (portal != null) {
      witness.rename(portal);
    }
    witness.bindWithoutRows();
  }

  @Override
  public void run(int place) {
    if (reads(place)) {
      read.run(places.get(place));
    }
  }

  @Override
  public void close(int place) {
    if (reads(place)) {
      read.close(places.get(place));
    } else {
      portals.get(place).close();
    }
  }

  @Override
  public boolean reads(int place) {
    return portals.get(place) == null;
  }

  @Override
  public NodePortal portal(int place) {
    NodePortal witness = portals.get(place);
    return witness == null ? read.portal(places.get(place)) : witness;
  }
}
