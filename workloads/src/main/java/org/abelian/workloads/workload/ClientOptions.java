package org.abelian.workloads.workload;

import java.time.Duration;
import org.abelian.workloads.client.Mode;
import org.abelian.workloads.client.Pace;

/**
 * How the clients of a workload behave.
 *
 * @param clients concurrent connections
 * @param roundTrip between a client and its database, waited for after each statement
 */
public record ClientOptions(int clients, Mode mode, Pace pace, Duration roundTrip) {}
