package org.abelian.router.engine;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.abelian.router.analysis.ComputedFacts;
import org.abelian.router.backend.Backend;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.error.AbelianException;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.CopyAddition;
import org.abelian.router.execution.CopyFormat;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.QueryResult;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.BigEndian;
import org.abelian.router.routing.Route;

/**
 * The values of columns that a COPY leaves out and that place its rows, or that no two copies of a
 * reference table may have otherwise: a node computes them. While nodes wait for data, that is done
 * over a connection beside theirs, for as many rows as there are at a time.
 */
final class ComputedColumns implements CopyAddition {
  /** The OID of integer. */
  private static final int INT4 = 23;

  private final EngineContext context;
  private final Catalog catalog;
  private final ComputedFacts each;

  /** Null for lines. */
  private final CopyFormat format;

  /** What all rows get. */
  private byte[][] same = {};

  private ComputedColumns(EngineContext context, BoundStatement bound, Route.CopyIn route) {
    this.context = context;
    this.catalog = bound.routed().router().catalog();
    this.each = route.added().each();
    this.format = route.division().format();
  }

  /**
   * What computes them. Nothing else may wait to be answered.
   *
   * @return null when a node has failed, and the client was told
   */
  static ComputedColumns of(EngineContext context, BoundStatement bound, Route.CopyIn route)
      throws IOException {
    ComputedColumns columns = new ComputedColumns(context, bound, route);
    if (columns.each != null && context.transactions().state().changesSettings()) {
      throw AbelianException.unsupported(
          "COPY whose rows get computed keys, after SET in the same transaction, is not supported",
          "SET before the transaction begins, or give the column in the data.");
    }
    if (route.added().same() == null) {
      return columns;
    }
    Backend backend = context.backends().home(columns.catalog);
    context.transactions().enter(backend, false);
    context.backends().requestAnswers();
    context.replies().runAll();
    if (context.replies().failed()) {
      return null;
    }
    columns.same = columns.ask(backend, route.added().same(), 1).get(0);
    return columns;
  }

  @Override
  public List<byte[][]> next(int rows) throws IOException {
    if (each == null) {
      return Collections.nCopies(rows, same);
    }
    Backend backend = context.backends().beside(catalog.first());
    context.transactions().draws().beginNow(backend, each.draws());
    List<byte[][]> all = new ArrayList<>();
    for (byte[][] row : ask(backend, each, rows)) {
      byte[][] whole = Arrays.copyOf(same, same.length + row.length);
      System.arraycopy(row, 0, whole, same.length, row.length);
      all.add(whole);
    }
    return all;
  }

  private List<byte[][]> ask(Backend backend, ComputedFacts computed, int rows) throws IOException {
    NodeStatement query = NodeStatement.ofRows(computed.query(), List.of(INT4));
    byte[] count = new byte[4];
    BigEndian.putInt4(count, 0, rows);
    boolean binary = format == null;
    QueryResult result =
        NodeCall.rowsOf(backend.connection, query, count, binary, !backend.touched);
    if (!result.succeeded()) {
      backend.skips = backend.touched;
      throw new ClientError(result.errorFields());
    }
    boolean same = binary || format.charset().equals(StandardCharsets.UTF_8);
    return same ? result.rows() : encoded(result.rows(), format.charset());
  }

  private static List<byte[][]> encoded(List<byte[][]> rows, Charset charset) {
    List<byte[][]> all = new ArrayList<>();
    for (byte[][] row : rows) {
      byte[][] other = new byte[row.length][];
      for (int at = 0; at < row.length; at++) {
        other[at] =
            row[at] == null ? null : new String(row[at], StandardCharsets.UTF_8).getBytes(charset);
      }
      all.add(other);
    }
    return all;
  }
}
