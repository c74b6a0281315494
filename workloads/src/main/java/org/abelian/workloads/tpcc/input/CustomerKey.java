package org.abelian.workloads.tpcc.input;

/**
 * How a user names a customer: by id, or by last name (then {@code id} is 0).
 *
 * @param lastName null when the customer is named by id
 */
public record CustomerKey(int warehouse, int district, int id, String lastName) {
  public boolean isByName() {
    return lastName != null;
  }
}
