package org.abelian.router.catalog;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Pattern;

/** Which version a router is, such as 0.6.0. */
public final class RouterVersion {
  private static final Pattern VERSION = Pattern.compile("[0-9]{1,9}(\\.[0-9]{1,9}){2}(-.*)?");

  private static final String CURRENT = read();

  private RouterVersion() {}

  /** The version of this router, which the driver and the server have in common. */
  public static String current() {
    return CURRENT;
  }

  /** True when this router is older than that version, or cannot know. */
  static boolean isOlderThan(String version) {
    return isOlder(CURRENT, version);
  }

  static boolean isOlder(String version, String other) {
    if (!VERSION.matcher(other).matches()) {
      return true; // Newer versions may be written in a way that this one does not know.
    }
    return Arrays.compare(numbers(version), numbers(other)) < 0;
  }

  private static int[] numbers(String version) {
    return Arrays.stream(version.split("-", 2)[0].split("\\."))
        .mapToInt(Integer::parseInt)
        .toArray();
  }

  private static String read() {
    try (InputStream in = RouterVersion.class.getResourceAsStream("version")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
