package org.abelian.router.protocol;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The parameters of a StartupMessage, in order.
 *
 * @param parameters names and values, user and database among them
 */
public record StartupMessage(Map<String, String> parameters) {
  /** Reads the parameters between two indexes (after the protocol version). */
  public static StartupMessage read(byte[] array, int from, int limit) {
    Map<String, String> parameters = new LinkedHashMap<>();
    int at = from;
    while (at < limit && array[at] != 0) {
      int nameEnd = CString.end(array, at, limit);
      int valueEnd = CString.end(array, nameEnd + 1, limit);
      parameters.put(CString.read(array, at, nameEnd), CString.read(array, nameEnd + 1, valueEnd));
      at = valueEnd + 1;
    }
    return new StartupMessage(parameters);
  }

  /** The role; null when the client left it out. */
  public String user() {
    return parameters.get("user");
  }

  /** The database, by default named as the role. */
  public String database() {
    return parameters.getOrDefault("database", user());
  }

  /** Appends the message. */
  public void write(FrameWriter writer) {
    writer.beginUntyped().int4(StartupCode.PROTOCOL_3_0);
    parameters.forEach((name, value) -> writer.string(name).string(value));
    writer.int1(0).end();
  }
}
