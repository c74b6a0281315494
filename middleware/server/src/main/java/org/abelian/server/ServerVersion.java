package org.abelian.server;

import org.abelian.router.catalog.RouterVersion;
import picocli.CommandLine.IVersionProvider;

/** What {@code --version} prints. */
final class ServerVersion implements IVersionProvider {
  @Override
  public String[] getVersion() {
    return new String[] {"abelian-server " + RouterVersion.current()};
  }
}
