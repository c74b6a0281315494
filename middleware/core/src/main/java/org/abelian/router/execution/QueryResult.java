package org.abelian.router.execution;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.abelian.router.protocol.ErrorFields;

/**
 * What a node answered to a query of the router's own.
 *
 * @param rows values in text format; null is NULL
 * @param tag the last command tag; empty when there was none
 * @param notices the NoticeResponses
 * @param error the ErrorResponse, or null when all went well
 */
public record QueryResult(List<byte[][]> rows, String tag, List<byte[]> notices, byte[] error) {
  /** True unless the node answered with an error. */
  public boolean succeeded() {
    return error == null;
  }

  /** The fields of the error. */
  public ErrorFields errorFields() {
    return ErrorFields.read(error);
  }

  /** The first value of the first row as a string; null when there is none or it is NULL. */
  public String value() {
    if (rows.isEmpty() || rows.get(0).length == 0 || rows.get(0)[0] == null) {
      return null;
    }
    return new String(rows.get(0)[0], StandardCharsets.UTF_8);
  }
}
