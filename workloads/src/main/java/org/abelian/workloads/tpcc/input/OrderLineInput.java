package org.abelian.workloads.tpcc.input;

/**
 * One line of a new order.
 *
 * @param item item id, or an id that does not exist in the 1% of orders that must roll back
 * @param supplyWarehouse the warehouse that supplies the item
 */
public record OrderLineInput(int item, int supplyWarehouse, int quantity) {}
