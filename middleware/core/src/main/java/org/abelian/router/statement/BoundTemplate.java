package org.abelian.router.statement;

import java.util.List;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.protocol.ByteQueue;

/**
 * A text as its template with its literals for values: it runs as if the client had prepared the
 * template and bound them.
 *
 * @param statement the template
 * @param analysed what is known about the template
 */
public record BoundTemplate(
    SharedStatement statement, AnalysedStatement analysed, List<ByteQueue> values) {
  /** Copies the list. */
  public BoundTemplate {
    values = List.copyOf(values);
  }

  /**
   * A Bind message with the literals.
   *
   * @param client the portal's name and the result formats; it has no parameters
   */
  public byte[] bind(BindMessage client) {
    return client.extended(values);
  }
}
