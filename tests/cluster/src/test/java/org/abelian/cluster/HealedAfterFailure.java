package org.abelian.cluster;

import java.util.function.Supplier;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Starts again what a failed test has left dead, so that the tests after it fail for reasons of
 * their own.
 */
final class HealedAfterFailure implements AfterEachCallback {
  private final Supplier<ProxiedCluster> cluster;

  /**
   * @param cluster the test class's, once it is there
   */
  HealedAfterFailure(Supplier<ProxiedCluster> cluster) {
    this.cluster = cluster;
  }

  @Override
  public void afterEach(ExtensionContext context) {
    if (context.getExecutionException().isPresent()) {
      cluster.get().heal();
    }
  }
}
