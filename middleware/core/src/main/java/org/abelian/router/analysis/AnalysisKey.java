package org.abelian.router.analysis;

import java.util.List;

/**
 * What the facts about a text depend on.
 *
 * @param parameterTypes as the client declared them
 * @param settings those of the session that change how names and literals are read, in one text
 *     that the session makes (search_path, standard_conforming_strings, role ...)
 * @param catalogVersion every change of placement or schema makes a new one
 */
public record AnalysisKey(
    String sql, List<Integer> parameterTypes, String settings, long catalogVersion) {
  /** Copies the list. */
  public AnalysisKey {
    parameterTypes = List.copyOf(parameterTypes);
  }
}
