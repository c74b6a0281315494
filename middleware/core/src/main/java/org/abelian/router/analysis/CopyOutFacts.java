package org.abelian.router.analysis;

import java.util.List;

/**
 * How a COPY TO the client writes its rows.
 *
 * @param source the query whose rows it gives
 * @param ofTable true when that is all rows of a table
 * @param quote of csv
 * @param escape of csv
 * @param forceQuote columns of csv whose values are quoted even when they need not be
 * @param forceQuoteAll true when these are all columns
 * @param encoding of the data; null for the client's
 */
public record CopyOutFacts(
    String source,
    boolean ofTable,
    boolean binary,
    boolean csv,
    boolean header,
    String delimiter,
    String nullText,
    String quote,
    String escape,
    List<String> forceQuote,
    boolean forceQuoteAll,
    String encoding) {
  /** Copies the list. */
  public CopyOutFacts {
    forceQuote = List.copyOf(forceQuote);
  }
}
