package org.abelian.server.hba;

/** A line of a configuration file says nothing that can be done. */
public final class ConfigurationException extends Exception {
  private static final long serialVersionUID = 1L;

  /**
   * @param line from 1
   */
  ConfigurationException(int line, String message) {
    super("line " + line + ": " + message);
  }
}
