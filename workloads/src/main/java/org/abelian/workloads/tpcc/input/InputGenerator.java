package org.abelian.workloads.tpcc.input;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.abelian.workloads.random.Zipf;
import org.abelian.workloads.tpcc.random.LastName;
import org.abelian.workloads.tpcc.random.NuRandConstants;
import org.abelian.workloads.tpcc.random.TpccRandom;
import org.abelian.workloads.tpcc.schema.Scale;

/** Inputs of one terminal, reproducible from its random source. Not thread-safe. */
public final class InputGenerator {
  private static final double THETA = 0.99;
  private static final int BY_NAME_PERCENT = 60;

  private final Scale scale;
  private final InputOptions options;
  private final NuRandConstants constants;
  private final TpccRandom random;
  private final Zipf zipf;
  private final int terminal;

  /**
   * @param terminal number of the terminal from 0; it fixes warehouse and district where the
   *     specification says so
   */
  public InputGenerator(
      Scale scale,
      InputOptions options,
      NuRandConstants constants,
      TpccRandom random,
      int terminal) {
    this.scale = scale;
    this.options = options;
    this.constants = constants;
    this.random = random;
    this.zipf = new Zipf(scale.warehouses(), THETA);
    this.terminal = terminal;
  }

  public Input next(TransactionType type) {
    int warehouse = homeWarehouse();
    return switch (type) {
      case NEW_ORDER -> newOrder(warehouse);
      case PAYMENT -> payment(warehouse);
      case ORDER_STATUS -> new OrderStatusInput(warehouse, customer(warehouse, district()));
      case DELIVERY -> new DeliveryInput(warehouse, random.uniform(1, 10));
      case STOCK_LEVEL -> stockLevel(warehouse);
    };
  }

  private int homeWarehouse() {
    return switch (options.homeWarehouse()) {
      case FIXED -> terminal % scale.warehouses() + 1;
      case UNIFORM -> random.uniform(1, scale.warehouses());
      case ZIPF -> zipf.rank(random.fraction());
    };
  }

  private int district() {
    return random.uniform(1, Scale.DISTRICTS);
  }

  private NewOrderInput newOrder(int warehouse) {
    int count = random.uniform(5, 15);
    boolean rollback = random.chance(options.rollbackPercent());
    List<OrderLineInput> lines = new ArrayList<>(count);
    for (int number = 1; number <= count; number++) {
      boolean unused = rollback && number == count;
      int item = unused ? scale.items() + 1 : constants.item().next(random, 1, scale.items());
      boolean remote = random.chance(options.remoteLinePercent());
      int supplier = remote ? otherWarehouse(warehouse) : warehouse;
      lines.add(new OrderLineInput(item, supplier, random.uniform(1, 10)));
    }
    return new NewOrderInput(warehouse, district(), customerId(), lines);
  }

  private PaymentInput payment(int warehouse) {
    int district = district();
    boolean remote = scale.warehouses() > 1 && random.chance(options.remotePaymentPercent());
    CustomerKey customer =
        remote ? customer(otherWarehouse(warehouse), district()) : customer(warehouse, district);
    return new PaymentInput(
        warehouse, district, customer, BigDecimal.valueOf(random.uniform(100, 500_000), 2));
  }

  /** StockLevel's district belongs to the terminal (clause 2.8.1.1). */
  private StockLevelInput stockLevel(int warehouse) {
    int district = terminal / scale.warehouses() % Scale.DISTRICTS + 1;
    return new StockLevelInput(warehouse, district, random.uniform(10, 20));
  }

  private CustomerKey customer(int warehouse, int district) {
    if (random.chance(BY_NAME_PERCENT)) {
      int names = Math.min(LastName.COUNT, scale.customersPerDistrict());
      String name = LastName.of(constants.lastName().next(random, 0, names - 1));
      return new CustomerKey(warehouse, district, 0, name);
    }
    return new CustomerKey(warehouse, district, customerId(), null);
  }

  private int customerId() {
    return constants.customer().next(random, 1, scale.customersPerDistrict());
  }

  private int otherWarehouse(int home) {
    if (scale.warehouses() == 1) {
      return home;
    }
    int other = random.uniform(1, scale.warehouses() - 1);
    return other >= home ? other + 1 : other;
  }
}
