package org.abelian.advisor.sample;

import static org.abelian.advisor.sample.SampleTables.table;
import static org.abelian.advisor.sample.Statements.texts;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.abelian.advisor.placement.KeyHash;
import org.abelian.advisor.placement.Lookups;
import org.abelian.advisor.trace.TraceTable;
import org.abelian.advisor.trace.TraceWriter;
import org.abelian.router.placement.KeyValue;

/**
 * TPC-W's fourteen web interactions (revision 1.8) in the shopping mix, of which its primary metric
 * WIPS is made, each a transaction. Best sellers are computed from the latest orders every time.
 */
public final class TpcwSample implements Sample {
  private static final int ITEMS = 10_000;
  private static final int SUBJECTS = 24;
  private static final int COUNTRIES = 92;

  /** Of each emulated browser. */
  private static final int CUSTOMERS = 2880;

  /** In a hundred sessions, those of customers who are known. */
  private static final int RETURNING = 80;

  /** In ten thousand interactions; clause 5.2. */
  private static final int[] SHOPPING = {
    1600, 500, 500, 1700, 2000, 1700, 1160, 300, 260, 120, 75, 66, 10, 9
  };

  /** A cart between its first item and its order. */
  private static final class Cart {
    private final int number;
    private final TreeSet<Integer> items = new TreeSet<>();
    private int customer;

    Cart(int number) {
      this.number = number;
    }
  }

  private final Random random;
  private final Lookups owners = new Lookups();
  private final List<Cart> carts = new ArrayList<>();
  private final List<Cart> checkedOut = new ArrayList<>();
  private final List<Integer> latestOrder = new ArrayList<>();
  private final List<TreeSet<Integer>> linesOf = new ArrayList<>();
  private int nextCart = 1;

  /**
   * A generator.
   *
   * @param browsers emulated browsers, each with 2,880 customers
   */
  public TpcwSample(int browsers, long seed) {
    random = new Random(seed);
    latestOrder.add(0);
    linesOf.add(new TreeSet<>());
    for (int customer = 1; customer <= CUSTOMERS * browsers; customer++) {
      latestOrder.add(0);
      owner("address", customer, customer);
    }
    // Nine customers of ten have ordered.
    for (int order = 1; order <= CUSTOMERS * browsers * 9 / 10; order++) {
      int customer = customer();
      TreeSet<Integer> items = new TreeSet<>();
      for (int line = 1 + random.nextInt(5); line > 0; line--) {
        items.add(item());
      }
      order(customer, items);
    }
  }

  private void owner(String map, int number, int customer) {
    owners.map(map).put("" + number, customer);
  }

  private int order(int customer, TreeSet<Integer> items) {
    int order = linesOf.size();
    linesOf.add(items);
    latestOrder.set(customer, order);
    owner("order", order, customer);
    return order;
  }

  @Override
  public List<TraceTable> tables() {
    return List.of(
        table("customer", 700, 1, "c_id", "c_uname:character varying(20)"),
        table("address", 150, 1, "addr_id"),
        table("country", 70, 1, "co_id", "co_name:character varying(50)"),
        table("orders", 220, 1, "o_id", "o_c_id"),
        table("order_line", 130, 2, "ol_o_id", "ol_id"),
        table("cc_xacts", 80, 1, "cx_o_id"),
        table("item", 860, 1, "i_id", "i_subject:character varying(60)"),
        table("author", 630, 1, "a_id"),
        table("shopping_cart", 12, 1, "sc_id"),
        table("shopping_cart_line", 12, 2, "scl_sc_id", "scl_i_id"));
  }

  @Override
  public void transaction(TraceWriter writer) {
    int dice = random.nextInt(10_000);
    int which = 0;
    while (dice >= SHOPPING[which]) {
      dice -= SHOPPING[which++];
    }
    Statements statements = new Statements();
    switch (which) {
      case 0 -> home(writer, statements);
      case 1 -> {
        bySubject(statements);
        writer.add("NewProducts", texts(), true, statements.all());
      }
      case 2 -> {
        statements.read("orders").read("order_line");
        bySubject(statements);
        writer.add("BestSellers", texts(), true, statements.all());
      }
      case 3 -> {
        detail(statements, item());
        writer.add("ProductDetail", texts(), true, statements.all());
      }
      case 4 -> {
        related(statements, item());
        writer.add("SearchRequest", texts(), true, statements.all());
      }
      case 5 -> {
        bySubject(statements);
        writer.add("SearchResults", texts(), true, statements.all());
      }
      case 6 -> shoppingCart(writer, statements);
      case 7 -> {
        int customer = customer();
        statements.read("customer", "c_id", customer);
        writer.add("CustomerRegistration", texts(customer), true, statements.all());
      }
      case 8 -> buyRequest(writer, statements);
      case 9 -> buyConfirm(writer, statements);
      case 10 -> {
        int customer = customer();
        statements.read("customer", "c_id", customer);
        writer.add("OrderInquiry", texts(customer), true, statements.all());
      }
      case 11 -> orderDisplay(writer, statements);
      case 12 -> {
        detail(statements, item());
        writer.add("AdminRequest", texts(), true, statements.all());
      }
      default -> adminConfirm(writer, statements);
    }
  }

  private void home(TraceWriter writer, Statements statements) {
    int customer = customer();
    if (random.nextInt(100) < RETURNING) {
      statements.read("customer", "c_id", customer);
    }
    related(statements, item());
    writer.add("Home", texts(customer), true, statements.all());
  }

  /** An item and five that are related to it. */
  private static void related(Statements statements, int item) {
    statements.read("item", "i_id", item);
    int first = statements.last();
    for (int i = 1; i <= 5; i++) {
      statements.read("item", "i_id", 1 + (item * 31 + i * 997) % ITEMS).after(first);
    }
  }

  private void bySubject(Statements statements) {
    statements.read("item", "i_subject", "SUBJECT" + random.nextInt(SUBJECTS)).read("author");
  }

  private static void detail(Statements statements, int item) {
    statements.read("item", "i_id", item).read("author", "a_id", 1 + item % (ITEMS / 4)).after(0);
  }

  private void shoppingCart(TraceWriter writer, Statements statements) {
    Cart cart;
    if (carts.isEmpty() || random.nextInt(100) < 40) {
      cart = new Cart(nextCart++);
      carts.add(cart);
    } else {
      cart = carts.get(random.nextInt(carts.size()));
    }
    statements.write("shopping_cart", "sc_id", cart.number);
    int item = item();
    cart.items.add(item);
    statements
        .read("shopping_cart_line", "scl_sc_id", cart.number, "scl_i_id", item)
        .write("shopping_cart_line", "scl_sc_id", cart.number, "scl_i_id", item);
    showCart(statements, cart);
    writer.add("ShoppingCart", texts(cart.number, item), false, statements.all());
  }

  private static void showCart(Statements statements, Cart cart) {
    statements.read("shopping_cart_line", "scl_sc_id", cart.number);
    int lines = statements.last();
    cart.items.forEach(item -> statements.read("item", "i_id", item).after(lines));
  }

  private void buyRequest(TraceWriter writer, Statements statements) {
    Cart cart = carts.isEmpty() ? new Cart(nextCart++) : carts.remove(random.nextInt(carts.size()));
    if (random.nextInt(100) < RETURNING) {
      int customer = customer();
      cart.customer = customer;
      byName(statements, customer);
      statements.read("address", "addr_id", customer).after(0);
      statements.read("country", "co_id", country(customer));
      statements.write("customer", "c_id", customer).after(0);
    } else {
      int customer = latestOrder.size();
      latestOrder.add(0);
      cart.customer = customer;
      owner("address", customer, customer);
      statements.read("country", "co_name", "COUNTRY" + country(customer));
      statements.write("address", "addr_id", customer);
      statements.write("customer", "c_id", customer, "c_uname", name(customer));
    }
    showCart(statements, cart);
    checkedOut.add(cart);
    writer.add("BuyRequest", texts(cart.customer, cart.number), false, statements.all());
  }

  /** A user enters the name; the number follows from it only in the database. */
  private static void byName(Statements statements, int customer) {
    statements.read("customer", "c_id", customer, "c_uname", name(customer)).by("c_uname");
  }

  private void buyConfirm(TraceWriter writer, Statements statements) {
    if (checkedOut.isEmpty()) {
      return;
    }
    Cart cart = checkedOut.remove(random.nextInt(checkedOut.size()));
    int customer = cart.customer;
    statements.read("customer", "c_id", customer);
    showCart(statements, cart);
    int lines = 1;
    int order = order(customer, cart.items);
    statements.write("orders", "o_id", order, "o_c_id", customer);
    int line = 1;
    for (int item : cart.items) {
      statements.write("order_line", "ol_o_id", order, "ol_id", line++).after(lines);
      statements.write("item", "i_id", item).after(lines);
    }
    statements.read("country", "co_id", country(customer));
    statements.write("cc_xacts", "cx_o_id", order);
    statements.write("shopping_cart_line", "scl_sc_id", cart.number);
    writer.add("BuyConfirm", texts(customer, cart.number), false, statements.all());
  }

  private void orderDisplay(TraceWriter writer, Statements statements) {
    int customer = customer();
    byName(statements, customer);
    statements.read("orders", "o_c_id", customer).after(0);
    int order = latestOrder.get(customer);
    if (order > 0) {
      statements.read("orders", "o_id", order, "o_c_id", customer).after(1).by("o_id");
      int found = statements.last();
      statements.read("address", "addr_id", customer).after(found);
      statements.read("cc_xacts", "cx_o_id", order).after(found);
      statements.read("order_line", "ol_o_id", order).after(found);
      int lines = statements.last();
      linesOf.get(order).forEach(item -> statements.read("item", "i_id", item).after(lines));
    }
    writer.add("OrderDisplay", texts(name(customer)), false, statements.all());
  }

  private void adminConfirm(TraceWriter writer, Statements statements) {
    int item = item();
    statements.write("item", "i_id", item).read("orders").read("order_line");
    statements.write("item", "i_id", item).after(2);
    writer.add("AdminConfirm", texts(item), false, statements.all());
  }

  private int customer() {
    int customers = latestOrder.size() - 1;
    return 1 + (random.nextInt(1024) | random.nextInt(customers)) % customers;
  }

  private int item() {
    return 1 + (random.nextInt(512) | random.nextInt(ITEMS)) % ITEMS;
  }

  private static int country(int customer) {
    return 1 + customer % COUNTRIES;
  }

  private static String name(int customer) {
    return "USER" + customer;
  }

  /** Customers with their orders and addresses; items, authors and countries everywhere. */
  @Override
  public Manual manual(int nodes) {
    Manual manual = Manual.empty().replicate("item", "author", "country");
    for (String map : List.of("order", "address")) {
      owners
          .map(map)
          .forEach(
              (number, customer) ->
                  manual
                      .lookups()
                      .map(map)
                      .put(number, KeyHash.node(nodes, new KeyValue.Number(customer))));
    }
    return manual
        .hash("customer", "c_id")
        .lookup("address", "addr_id", "address")
        .lookup("orders", "o_id", "order")
        .lookup("order_line", "ol_o_id", "order")
        .lookup("cc_xacts", "cx_o_id", "order")
        .hash("shopping_cart", "sc_id")
        .hash("shopping_cart_line", "scl_sc_id");
  }
}
