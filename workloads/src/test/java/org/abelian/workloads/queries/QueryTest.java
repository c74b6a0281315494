package org.abelian.workloads.queries;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import org.abelian.workloads.queries.ch.ChSuite;
import org.abelian.workloads.queries.tpch.TpchSuite;
import org.abelian.workloads.tpcc.schema.ColumnKind;
import org.junit.jupiter.api.Test;

class QueryTest {
  @Test
  void eachSuiteHas22Texts() throws IOException {
    for (Suite suite : List.of(new TpchSuite(1, 1), new ChSuite(1, ColumnKind.PLAIN, 1))) {
      List<Query> queries = Query.of(suite);
      assertEquals(22, queries.size());
      for (Query query : queries) {
        assertFalse(query.sql().contains("${"), query.sql());
        assertFalse(query.sql().contains("--"), query.sql());
        assertEquals(query.sql().contains("\n ORDER BY "), !query.order().isEmpty(), query.sql());
      }
    }
  }

  @Test
  void theFractionOfQuery11FollowsTheScale() throws IOException {
    assertTrue(Query.of(new TpchSuite(1, 1)).get(10).sql().contains("* 0.00010\n"));
    assertTrue(Query.of(new TpchSuite(0.1, 1)).get(10).sql().contains("* 0.001\n"));
    assertTrue(Query.of(new TpchSuite(0.001, 1)).get(10).sql().contains("* 0.01\n"));
  }
}
