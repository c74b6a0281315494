package org.abelian.harness;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Everything this process has started and not yet closed, closed newest first when it ends. A run
 * that is killed outright leaves its nodes to {@link #removeOrphans()} of the next one.
 */
final class Resources {
  private static final Set<AutoCloseable> OPEN = Collections.synchronizedSet(new LinkedHashSet<>());
  private static boolean prepared;

  private Resources() {}

  /** Installs the clean-up at exit and removes the nodes of dead runs; once per process. */
  static synchronized void prepare() {
    if (prepared) {
      return;
    }
    prepared = true;
    Runtime.getRuntime().addShutdownHook(new Thread(Resources::closeAll, "test node clean-up"));
    removeOrphans();
  }

  static void opened(AutoCloseable resource) {
    OPEN.add(resource);
  }

  static void closed(AutoCloseable resource) {
    OPEN.remove(resource);
  }

  static void removeOrphans() {
    NodeVersions.all().forEach(Resources::removeOrphans);
  }

  private static void removeOrphans(String version) {
    for (String line : NodeScript.run(version, List.of("list")).split("\n")) {
      String name = line.trim().split("\\s+")[0];
      if (OwnedName.isOrphan(name)) {
        try {
          NodeScript.run(version, List.of("drop", name));
        } catch (HarnessException e) {
          // Another run may be removing it at this moment.
          System.err.println("leftover node " + name + " not removed: " + e.getMessage());
        }
      }
    }
  }

  private static void closeAll() {
    List<AutoCloseable> open;
    synchronized (OPEN) {
      open = new ArrayList<>(OPEN);
    }
    Collections.reverse(open);
    for (AutoCloseable resource : open) {
      try {
        resource.close();
      } catch (Exception e) {
        System.err.println("clean-up of " + resource + ": " + e.getMessage());
      }
    }
  }
}
