package org.abelian.workloads.tpcc.input;

/**
 * Choices that shape the inputs.
 *
 * @param homeWarehouse how terminals choose their warehouse
 * @param remoteLinePercent order lines supplied by another warehouse; 1 as specified (2.4.1.5)
 * @param remotePaymentPercent payments by customers of another warehouse; 15 as specified (2.5.1.2)
 * @param rollbackPercent new orders that name an unused item; 1 as specified (2.4.1.4)
 */
public record InputOptions(
    HomeWarehouse homeWarehouse,
    double remoteLinePercent,
    double remotePaymentPercent,
    double rollbackPercent) {
  /** What the specification says. */
  public static InputOptions specified() {
    return new InputOptions(HomeWarehouse.FIXED, 1, 15, 1);
  }
}
