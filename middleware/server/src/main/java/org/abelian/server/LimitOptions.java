package org.abelian.server;

import picocli.CommandLine.Option;

/** Bounds for clients; a reload changes them for those who come later. */
final class LimitOptions {
  @Option(
      names = "--max-clients",
      defaultValue = "1000",
      description = "clients served at once; more get 53300 (default: ${DEFAULT-VALUE})")
  private int maxClients;

  @Option(
      names = "--max-starting",
      defaultValue = "200",
      description =
          "connections whose clients have not proved yet who they are; of more, the oldest are"
              + " closed (default: ${DEFAULT-VALUE})")
  private int maxStarting;

  @Option(
      names = "--authentication-timeout",
      defaultValue = "60000",
      description = "milliseconds that a client has to prove who it is (default: ${DEFAULT-VALUE})")
  private int authenticationTimeout;

  @Option(
      names = "--client-check-interval",
      defaultValue = "1000",
      description =
          "milliseconds after which a client whose statement still runs is looked for; that of one"
              + " that is gone is cancelled (default: ${DEFAULT-VALUE})")
  private int clientCheckInterval;

  @Option(
      names = "--client-stall-timeout",
      defaultValue = "1800000",
      description =
          "milliseconds that a client may leave an answer unread before its session is ended; 0 for"
              + " ever (default: ${DEFAULT-VALUE})")
  private int clientStallTimeout;

  @Option(
      names = "--drain-timeout",
      defaultValue = "3000",
      description =
          "milliseconds that clients may go on with their transactions after SIGTERM (default:"
              + " ${DEFAULT-VALUE})")
  private int drainTimeout;

  /**
   * The bounds.
   *
   * @throws IllegalArgumentException when one is out of range
   */
  ClientLimits limits() {
    return new ClientLimits(
        maxClients,
        maxStarting,
        authenticationTimeout,
        clientCheckInterval,
        clientStallTimeout,
        drainTimeout);
  }
}
