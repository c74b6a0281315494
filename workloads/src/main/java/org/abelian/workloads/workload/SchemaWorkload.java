package org.abelian.workloads.workload;

import java.util.List;

/**
 * A workload whose tables are described by themselves.
 *
 * @param <S> the description
 */
public abstract class SchemaWorkload<S extends Schema> implements Workload {
  /** Its tables. */
  protected final S tables;

  /** A workload over these tables. */
  protected SchemaWorkload(S tables) {
    this.tables = tables;
  }

  @Override
  public final Columns columns() {
    return tables.columns();
  }

  @Override
  public final List<String> create() {
    return tables.create();
  }

  @Override
  public final List<String> place() {
    return tables.place();
  }

  @Override
  public final List<String> finish() {
    return tables.finish();
  }
}
