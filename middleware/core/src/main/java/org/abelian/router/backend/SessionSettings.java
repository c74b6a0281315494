package org.abelian.router.backend;

import org.abelian.router.protocol.MemoryBudget;
import org.abelian.router.protocol.StartupSettings;

/**
 * What a client's session has set, as a node has reported it: with its first connection, whenever a
 * command of the client has changed it, and whenever it has changed otherwise. Changes inside a
 * transaction count here when it commits. Not thread-safe.
 */
public final class SessionSettings {
  /** In characters; who sets more is after the router's memory. */
  private static final int LARGEST = 4 << 20;

  /** What a character takes: in the text, among the values, and in what brings them to a node. */
  private static final int BYTES = 4;

  private final MemoryBudget memory;
  private final String session;
  private final StartupSettings asked;
  private ReportedSettings current = ReportedSettings.NONE;
  private SettingsSnapshot snapshot;

  /** What was set before the current group of messages. */
  private ReportedSettings before;

  private boolean tooLong;

  /**
   * Nothing is set as yet.
   *
   * @param memory where what is set counts
   * @param asked what the client asked for when it connected
   */
  public SessionSettings(
      MemoryBudget memory, String session, long placementVersion, StartupSettings asked) {
    this.memory = memory;
    this.session = session;
    this.asked = asked;
    snapshot = new SettingsSnapshot(session, placementVersion, current);
  }

  /** What connections must have now. */
  public SettingsSnapshot snapshot() {
    return snapshot;
  }

  /** Statements are routed by another version from now on. */
  public void placementVersion(long version) {
    if (version != snapshot.placementVersion()) {
      snapshot = new SettingsSnapshot(session, version, current);
    }
  }

  /** What is set outside of transactions. */
  public ReportedSettings current() {
    return current;
  }

  /** What the client asked for when it connected: the values that RESET goes back to. */
  public StartupSettings asked() {
    return asked;
  }

  /** This is set from now on. */
  public void adopt(ReportedSettings settings) {
    if (!settings.equals(current)) {
      memory.takeAnyway((long) BYTES * (settings.length() - current.length()));
      tooLong |= settings.length() > LARGEST;
      current = settings;
      snapshot = new SettingsSnapshot(session, snapshot.placementVersion(), current);
    }
  }

  /** True when the session has set more than one may keep: it has to end. */
  public boolean isTooLong() {
    return tooLong;
  }

  /** The session has ended. */
  public void free() {
    memory.give((long) BYTES * current.length());
    current = ReportedSettings.NONE;
  }

  /** The role or the database has got other defaults, which stay whatever becomes of the group. */
  public void adoptDefaults(ReportedSettings settings) {
    before = before == null ? settings : before.withChanges(current, settings);
    adopt(settings);
  }

  /** A group of messages begins: {@link #undoGroup} comes back to here. */
  public void beginGroup() {
    before = current;
  }

  /** Takes back what the group has set; its nodes have done so. */
  public void undoGroup() {
    adopt(before == null ? current : before);
  }
}
