package org.abelian.advisor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.abelian.advisor.command.Commands;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example of the guide that needs no database gives what stands there. */
class AdvisorGuideTest {
  private static final Pattern EXAMPLE =
      Pattern.compile("```sh\\n([^`]*advise sample[^`]*)```.*?```text\\n(.*?)```", Pattern.DOTALL);

  @TempDir Path folder;

  @Test
  void printsWhatTheGuideShows() throws IOException {
    String page = Files.readString(Path.of("../docs/guide/advisor.md"));
    Matcher example = EXAMPLE.matcher(page);
    assertEquals(true, example.find(), "the guide has no example");
    for (String line : example.group(1).strip().split("\\n")) {
      List<String> words = new ArrayList<>(Arrays.asList(line.split(" ")));
      words.replaceAll(word -> word.startsWith("advice") ? folder.resolve(word).toString() : word);
      assertEquals(0, Commands.execute(words.subList(2, words.size()).toArray(String[]::new)));
    }
    assertEquals(example.group(2), Files.readString(folder.resolve("advice/report/summary.txt")));
  }
}
