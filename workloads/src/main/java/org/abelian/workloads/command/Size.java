package org.abelian.workloads.command;

import org.abelian.workloads.tpcc.schema.Scale;
import picocli.CommandLine.Option;

/** Options for the size of a TPC-C database. */
final class Size {
  @Option(names = "--warehouses", defaultValue = "4", description = "default: ${DEFAULT-VALUE}")
  private int warehouses;

  @Option(
      names = "--items",
      defaultValue = "100000",
      description = "items and stock rows a warehouse; less than ${DEFAULT-VALUE} is for tests")
  private int items;

  @Option(
      names = "--customers",
      defaultValue = "3000",
      description = "customers a district; less than ${DEFAULT-VALUE} is for tests")
  private int customers;

  Scale scale() {
    return new Scale(warehouses, items, customers);
  }
}
