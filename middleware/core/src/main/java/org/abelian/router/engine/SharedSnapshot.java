package org.abelian.router.engine;

import java.nio.charset.StandardCharsets;

/** Names of portals that read by the snapshot of another one, of the same read on the same node. */
final class SharedSnapshot {
  private static final String PREFIX = "abelian-as/";
  private static final int HEXADECIMAL = 16;

  private SharedSnapshot() {}

  /** A word that no other portal of the session has. */
  static String unique(EngineContext context) {
    return Integer.toString(context.gate().nextRead(), HEXADECIMAL);
  }

  /** A name for a portal that reads by the snapshot of an earlier one, which is still open. */
  static String name(EngineContext context, byte[] earlier) {
    String name = new String(earlier, StandardCharsets.US_ASCII);
    return PREFIX + unique(context) + '/' + name.split("/")[1];
  }
}
