package org.abelian.router.session;

/**
 * The commit class of a call, chosen before it runs: {@backend CommitClass#SINGLE}, {@backend
 * CommitClass#COMMUTING}, {@backend CommitClass#INDEPENDENT}, or {@backend CommitClass#COORDINATED} for
 * whatever the session's transaction makes of it.
 *
 * @param reason why no cheaper class would do
 */
record CallChoice(CommitClass commitClass, String reason) {
  /** More participants than this are coordinated: a proposal names the runs of all of them. */
  private static final int PARTICIPANTS_MAX = 16;

  /** Chooses. */
  static CallChoice of(Session session, ProcedureCall call) {
    return of(session, call, company(session));
  }

  /** Chooses for a call that would be all that its transaction does. */
  static CallChoice alone(Session session, ProcedureCall call) {
    return of(session, call, null);
  }

  private static CallChoice of(Session session, ProcedureCall call, String company) {
    if (call.isSingle()) {
      int node = call.participants().get(0).nodeId;
      return new CallChoice(CommitClass.SINGLE, "all keys of the call are on node " + node);
    }
    if (company == null && CommutingCall.accepts(session, call)) {
      return new CallChoice(CommitClass.COMMUTING, "it wrote on several nodes");
    }
    String obstacle = obstacle(session, call, company);
    return obstacle == null
        ? new CallChoice(CommitClass.INDEPENDENT, "every participant decides alike")
        : new CallChoice(CommitClass.COORDINATED, obstacle);
  }

  /** What its transaction does beside the call; null for nothing. */
  private static String company(Session session) {
    if (session.transaction().isOpen()) {
      return "it is a part of a transaction";
    }
    return session.groups().isOneStatement() ? null : "other statements were sent with it";
  }

  /** Why it cannot be an independent transaction; null when it can. */
  private static String obstacle(Session session, ProcedureCall call, String company) {
    String signature = call.procedure().signature();
    if (ClassChoice.says(session.settings(), ClassChoice.SETTING, "coordinated")) {
      return ClassChoice.SETTING + " is coordinated";
    } else if (!call.procedure().independent()) {
      return signature + " is coordinated; abelian.explain_procedure() says why";
    } else if (!call.routed().writes()) {
      return "it only reads";
    } else if (company != null) {
      return company;
    } else if (IsolationSettings.isStrict(session.transaction(), session.settings())) {
      return "its isolation level is above READ COMMITTED";
    } else if (call.participants().size() > PARTICIPANTS_MAX) {
      return "more than " + PARTICIPANTS_MAX + " nodes take part";
    } else if (IntentText.settings(session.settings()).isEmpty()) {
      return "a setting of the session does not hold for one transaction alone";
    }
    return null;
  }
}
