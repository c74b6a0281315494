package org.abelian.router.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StartupSettingsTest {
  private static StartupSettings of(String... namesAndValues) {
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("user", "app");
    for (int i = 0; i < namesAndValues.length; i += 2) {
      parameters.put(namesAndValues[i], namesAndValues[i + 1]);
    }
    return StartupSettings.of(new StartupMessage(parameters));
  }

  @Test
  void whatCanBeSetLaterIsNoPartOfTheConnection() {
    StartupSettings settings = of("database", "shop", "application_name", "a", "TimeZone", "UTC");
    assertEquals(Map.of("user", "app", "database", "shop"), settings.fixed());
    assertEquals(Map.of("application_name", "a", "timezone", "UTC"), settings.settings());
  }

  @Test
  void theDatabaseIsTheRolesUnlessItIsNamed() {
    assertEquals("app", of().fixed().get("database"));
  }

  @Test
  void whatOnlyANewConnectionCanHaveIs() {
    assertEquals("on", of("log_connections", "on").fixed().get("log_connections"));
    assertEquals(
        "on", of("options", "-c jit_profiling_support=on").fixed().get("jit_profiling_support"));
  }

  @Test
  void optionsAreReadAsPostgreSqlReadsThem() {
    StartupSettings settings =
        of("options", " -c a.b=1\\ 2  --search-path=x,y -cgeqo=off\t-c empty= -c q=\\\\'");
    assertEquals(
        Map.of("a.b", "1 2", "search_path", "x,y", "geqo", "off", "empty", "", "q", "\\'"),
        settings.settings());
    assertNull(settings.fixed().get("options"));
  }

  @Test
  void aParameterCountsMoreThanAnOption() {
    assertEquals("b", of("geqo", "b", "options", "-c geqo=a").settings().get("geqo"));
  }

  @Test
  void otherSwitchesMakeAConnectionOfTheirOwn() {
    StartupSettings settings = of("options", "-c geqo=off -e");
    assertEquals("-c geqo=off -e", settings.fixed().get("options"));
    assertEquals(Map.of(), settings.settings());
  }

  @Test
  void whatConcernsTheProtocolIsNoSetting() {
    assertEquals(Map.of(), of("_pq_.x", "1", "replication", "off").settings());
  }

  @Test
  void statementsQuoteWhateverValuesHold() {
    assertEquals(List.of(), of().statements());
    assertEquals(
        List.of("SET \"a\".\"b\" TO 'it''s'", "SET \"c\"\"\" TO  E'\\\\'''"),
        of("a.b", "it's", "c\"", "\\'").statements());
    assertEquals("SET \"a\" TO 'x, y'", of("A", "x, y").statement("a"));
    assertNull(of().statement("a"));
  }

  @Test
  void listsOfNamesAreSetNameByName() {
    assertEquals(
        "SET \"search_path\" TO '$user','public','a, \"B','c'",
        of("search_path", "\"$user\", PUBLIC ,\"a, \"\"B\",c").statement("search_path"));
    assertEquals("SET \"search_path\" TO ''", of("search_path", "").statement("search_path"));
  }
}
