package org.abelian.router.execution;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.regex.Matcher;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever lc_messages is on a node, the line is found. */
class CopyErrorPlaceTest {
  private final CopyErrorPlace place = new CopyErrorPlace("t1");

  /** What PostgreSQL's catalogues of messages have. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "COPY t1, line 42: \"7\tx\"",
        "COPY t1, Zeile 42: »7\tx«",
        "COPY t1, línea 42: «7\tx»",
        "COPY t1, ligne 42 : « 7\tx »",
        "COPY t1, riga 42: \"7\tx\"",
        "t1のCOPY、行 42: \"7\tx\"",
        "COPY t1, ხაზი 42: \"7\tx\"",
        "t1 복사, 42번째 줄: \"7\tx\"",
        "COPY t1, строка 42: \"7\tx\"",
        "COPY t1, рядок 42: \"7\tx\"",
        "PL/pgSQL function f() line 3 at RAISE\nCOPY t1, rad 42: \"7\tx\"",
        "SQL statement \"UPDATE t1 SET a = 1\"\n"
            + "PL/pgSQL function t1() line 3\n"
            + "COPY t1, line 42: \"7"
      })
  void inEveryLanguage(String context) {
    Matcher found = place.find(context);
    assertNotNull(found);
    assertEquals("42", found.group(1));
    String behind = context.substring(found.end(1));
    assertEquals('7', behind.substring(CopyErrorPlace.shown(behind)).strip().charAt(0));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "COPY t1, line 42",
        "COPY t1, Zeile 42, Spalte a: »x«",
        "COPY t1, línea 42, columna a: entrada nula",
        "t1 복사, 42번째 줄, a 열: \"x\""
      })
  void aColumnIsNotTheLine(String context) {
    Matcher found = place.find(context);
    assertNotNull(found);
    assertEquals("42", found.group(1));
    assertEquals(0, CopyErrorPlace.shown(context.substring(found.end(1))));
  }

  @Test
  void otherContextsHaveNoLine() {
    assertNull(place.find(null));
    assertNull(place.find("PL/pgSQL function t1() line 3 at RAISE"));
    assertNull(place.find("COPY t12, line 3"));
  }
}
