package org.abelian.histories.check;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.abelian.histories.program.Level;
import org.abelian.histories.program.Row;
import org.abelian.histories.run.Execution;
import org.abelian.histories.run.History;

/**
 * Searches for an order of all snapshots, row changes and commits that is consistent with real time
 * and explains all answers: depth first over the next event, remembering what has failed.
 *
 * <p>Only commits change what others see. Between two commits the events are therefore taken in one
 * canonical order, that of their answers, which real time always permits.
 */
final class CommitOrder {
  /** Bound on the situations visited; small histories need a few hundred. */
  private static final int SITUATIONS_MAX = 100_000;

  /**
   * A situation in the search.
   *
   * @param lastAnswered answer time of the last event since the last commit
   */
  private record Situation(List<Progress> sessions, State committed, long lastAnswered) {}

  private final Level level;
  private final List<SessionRules> rules = new ArrayList<>();
  private final State initial;
  private final Set<Situation> visited = new HashSet<>();

  CommitOrder(History history, Reads reads) {
    level = history.program().level();
    List<List<Execution>> sessions = history.sessions();
    for (int i = 0; i < sessions.size(); i++) {
      rules.add(new SessionRules(i, level, reads, sessions.get(i)));
    }
    initial =
        State.of(
            history.program().rows().stream()
                .map(row -> new Row(row.id(), "initial" + row.id(), row.values()))
                .toList());
  }

  Verdict search() {
    List<Progress> start = new ArrayList<>();
    for (SessionRules session : rules) {
      Progress progress = session.start();
      if (progress == null) {
        return Verdict.NO_COMMIT_ORDER;
      }
      start.add(progress);
    }
    boolean found = search(new Situation(start, initial, 0));
    if (!found && visited.size() > SITUATIONS_MAX) {
      return Verdict.UNDECIDED;
    }
    return found ? Verdict.LEGAL : Verdict.NO_COMMIT_ORDER;
  }

  private boolean search(Situation situation) {
    if (visited.size() > SITUATIONS_MAX || !visited.add(situation)) {
      return false;
    }
    List<Integer> enabled = enabled(situation);
    if (enabled.isEmpty()) {
      return true;
    }
    for (int session : enabled) {
      if (mustHappenNow(situation, session)) {
        Situation next = happen(situation, session, true);
        return next != null && search(next);
      }
      if (rules.get(session).isFleetingRead(situation.sessions().get(session))) {
        // A read that fits now leaves nothing behind, so nothing is gained by having it later.
        Situation next = happen(situation, session, true);
        if (next != null) {
          return search(next);
        }
      }
    }
    for (int session : enabled) {
      Situation next = happen(situation, session, false);
      if (next != null && search(next)) {
        return true;
      }
    }
    return false;
  }

  /** Sessions whose next event need not wait for an event that was answered before it was sent. */
  private List<Integer> enabled(Situation situation) {
    long first = Long.MAX_VALUE;
    for (int i = 0; i < rules.size(); i++) {
      Progress at = situation.sessions().get(i);
      if (rules.get(i).next(at) != SessionRules.Event.NONE) {
        first = Math.min(first, rules.get(i).window(at).answered());
      }
    }
    List<Integer> enabled = new ArrayList<>();
    for (int i = 0; i < rules.size(); i++) {
      Progress at = situation.sessions().get(i);
      if (rules.get(i).next(at) != SessionRules.Event.NONE
          && rules.get(i).window(at).sent() < first) {
        enabled.add(i);
      }
    }
    return enabled;
  }

  /** Whether every commit that is still to come was sent after this event had been answered. */
  private boolean mustHappenNow(Situation situation, int session) {
    Progress at = situation.sessions().get(session);
    if (rules.get(session).next(at) == SessionRules.Event.COMMIT) {
      return false;
    }
    long answered = rules.get(session).window(at).answered();
    for (int i = 0; i < rules.size(); i++) {
      if (i != session && rules.get(i).nextCommitSent(situation.sessions().get(i)) < answered) {
        return false;
      }
    }
    return true;
  }

  private Situation happen(Situation situation, int session, boolean anyOrder) {
    Progress at = situation.sessions().get(session);
    SessionRules mine = rules.get(session);
    if (mine.next(at) == SessionRules.Event.COMMIT) {
      return commit(situation, session);
    }
    long answered = mine.window(at).answered();
    if (!anyOrder && answered < situation.lastAnswered()) {
      return null;
    }
    Progress after =
        mine.next(at) == SessionRules.Event.SNAPSHOT
            ? mine.snapshot(at, situation.committed())
            : mine.act(at, situation.committed());
    if (after == null) {
      return null;
    }
    List<Progress> sessions = new ArrayList<>(situation.sessions());
    sessions.set(session, after);
    return new Situation(
        sessions, situation.committed(), anyOrder ? situation.lastAnswered() : answered);
  }

  /** Null if a running transaction relies on what this commit changes. */
  private Situation commit(Situation situation, int session) {
    Progress at = situation.sessions().get(session);
    List<Footprint> written =
        at.effects().stream().map(Effect::footprint).filter(Footprint::writes).toList();
    List<Progress> sessions = new ArrayList<>();
    for (int i = 0; i < rules.size(); i++) {
      Progress other = situation.sessions().get(i);
      if (i == session) {
        Progress next = rules.get(i).afterCommit(at);
        if (next == null) {
          return null;
        }
        sessions.add(next);
      } else if (reliesOn(other, written)) {
        return null;
      } else {
        sessions.add(rules.get(i).noteForeign(other, written));
      }
    }
    return new Situation(sessions, situation.committed().plus(at.effects()), 0);
  }

  /** A transaction that works on one snapshot relies on what it adds to, too. */
  private boolean reliesOn(Progress progress, List<Footprint> written) {
    return progress.effects().stream()
        .map(Effect::footprint)
        .map(one -> level.keepsSnapshot() ? one : one.behind(written))
        .anyMatch(one -> written.stream().anyMatch(w -> w.interferesWith(one)));
  }
}
