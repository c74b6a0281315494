package org.abelian.workloads.tpcw;

import java.util.Locale;

/** The web interactions, in the order of the specification. */
enum TpcwType {
  HOME,
  NEW_PRODUCTS,
  BEST_SELLERS,
  PRODUCT_DETAIL,
  SEARCH_REQUEST,
  SEARCH_RESULTS,
  SHOPPING_CART,
  CUSTOMER_REGISTRATION,
  BUY_REQUEST,
  BUY_CONFIRM,
  ORDER_INQUIRY,
  ORDER_DISPLAY,
  ADMIN_REQUEST,
  ADMIN_CONFIRM;

  /** As results count it. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
