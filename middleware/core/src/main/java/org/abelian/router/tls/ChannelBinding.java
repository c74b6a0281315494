package org.abelian.router.tls;

import java.util.Locale;

/** libpq's channel_binding: whether authentication is tied to the TLS connection that it uses. */
public enum ChannelBinding {
  /** Never. */
  DISABLE,
  /** When the node offers it. */
  PREFER,
  /** Always: without it there is no connection. */
  REQUIRE;

  /**
   * Reads libpq's name.
   *
   * @throws IllegalArgumentException when there is no such choice
   */
  public static ChannelBinding parse(String text) {
    for (ChannelBinding choice : values()) {
      if (choice.toString().equalsIgnoreCase(text)) {
        return choice;
      }
    }
    throw new IllegalArgumentException(
        "invalid channel_binding value: \"" + text + "\"; it is disable, prefer or require");
  }

  /** libpq's name. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
