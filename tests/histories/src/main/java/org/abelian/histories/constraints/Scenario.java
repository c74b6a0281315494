package org.abelian.histories.constraints;

import java.util.ArrayList;
import java.util.List;

/**
 * What is done in a schema of its own. In texts, {@link #TYPE} stands for the type of the columns
 * that are compared, {@link #SCHEMA} for the schema's name.
 *
 * @param schema commands that make the schema
 * @param steps what a session does then
 * @param settings commands for the session over Abelian columns alone
 */
public record Scenario(List<String> schema, List<Step> steps, List<String> settings) {
  static final String TYPE = "{type}";
  static final String SCHEMA = "{schema}";

  public Scenario {
    schema = List.copyOf(schema);
    steps = List.copyOf(steps);
    settings = List.copyOf(settings);
  }

  /** The same without one of its steps. */
  public Scenario withoutStep(int index) {
    List<Step> fewer = new ArrayList<>(steps);
    fewer.remove(index);
    return new Scenario(schema, fewer, settings);
  }

  /** The same without one of the commands that make the schema. */
  public Scenario withoutCommand(int index) {
    List<String> fewer = new ArrayList<>(schema);
    fewer.remove(index);
    return new Scenario(fewer, steps, settings);
  }
}
