package org.abelian.advisor.placement;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.function.UnaryOperator;

/** A decision tree over the columns of a row. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "rule")
@JsonSubTypes({
  @JsonSubTypes.Type(value = Rule.AtMost.class, name = "at_most"),
  @JsonSubTypes.Type(value = Rule.Equal.class, name = "equal"),
  @JsonSubTypes.Type(value = Rule.Then.class, name = "then")
})
public sealed interface Rule {
  /** In place of a partition: a copy on each. */
  int EVERYWHERE = -1;

  /**
   * Whether a number is at most another.
   *
   * @param column the number
   * @param value the other
   * @param yes what holds if it is
   * @param no what holds otherwise
   */
  record AtMost(String column, double value, Rule yes, Rule no) implements Rule {}

  /**
   * Whether a text is equal to another.
   *
   * @param column the text
   * @param value the other
   * @param yes what holds if it is
   * @param no what holds otherwise
   */
  record Equal(String column, String value, Rule yes, Rule no) implements Rule {}

  /**
   * An answer.
   *
   * @param partition from 0, or {@link #EVERYWHERE}
   */
  record Then(int partition) implements Rule {}

  /**
   * Whether a row is one for "yes".
   *
   * @param value of a column of the row, or null where it is not known
   * @return null when that is not known, or when there is no question
   */
  default Boolean holds(UnaryOperator<String> value) {
    if (this instanceof AtMost split) {
      Double number = Numbers.parse(value.apply(split.column()));
      return number == null ? null : number <= split.value();
    }
    if (this instanceof Equal split) {
      String text = value.apply(split.column());
      return text == null ? null : text.equals(split.value());
    }
    return null;
  }

  /** How many answers there are. */
  @JsonIgnore
  default int leaves() {
    if (this instanceof AtMost split) {
      return split.yes().leaves() + split.no().leaves();
    }
    return this instanceof Equal split ? split.yes().leaves() + split.no().leaves() : 1;
  }
}
