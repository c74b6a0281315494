package org.abelian.router.procedure;

import org.abelian.router.analysis.ProcedureFacts;
import org.abelian.router.session.ClassChoice;
import org.abelian.router.session.CommitClass;
import org.abelian.router.session.IntentText;
import org.abelian.router.session.IsolationSettings;

/**
 * The commit class of a call, chosen before it runs: {@link CommitClass#SINGLE}, {@link
 * CommitClass#COMMUTING}, {@link CommitClass#INDEPENDENT}, or {@link CommitClass#COORDINATED} for
 * whatever the session's transaction makes of it.
 *
 * @param reason why no cheaper class would do
 */
public record CallChoice(CommitClass commitClass, String reason) {
  /** More participants than this are coordinated: a proposal names the runs of all of them. */
  private static final int PARTICIPANTS_MAX = 16;

  /** Chooses. */
  public static CallChoice of(CallContext context, ProcedureCall call) {
    return of(context, call, company(context));
  }

  /** Chooses for a call that would be all that its transaction does. */
  public static CallChoice alone(CallContext context, ProcedureCall call) {
    return of(context, call, null);
  }

  private static CallChoice of(CallContext context, ProcedureCall call, String company) {
    if (call.isSingle()) {
      int node = call.participants().get(0).nodeId;
      return new CallChoice(CommitClass.SINGLE, "all keys of the call are on node " + node);
    }
    if (company == null && CommutingCall.accepts(context, call)) {
      return new CallChoice(CommitClass.COMMUTING, "it wrote on several nodes");
    }
    String obstacle = obstacle(context, call, company);
    return obstacle == null
        ? new CallChoice(CommitClass.INDEPENDENT, "every participant decides alike")
        : new CallChoice(CommitClass.COORDINATED, obstacle);
  }

  /** What its transaction does beside the call; null for nothing. */
  private static String company(CallContext context) {
    if (context.engine().transactions().state().isOpen()) {
      return "it is a part of a transaction";
    }
    return context.engine().group().isOneStatement() ? null : "other statements were sent with it";
  }

  /** Why it cannot be an independent transaction; null when it can. */
  private static String obstacle(CallContext context, ProcedureCall call, String company) {
    String signature = call.procedure().signature();
    if (context.engine().backends().says(ClassChoice.SETTING, "coordinated")) {
      return ClassChoice.SETTING + " is coordinated";
    } else if (call.procedure().reach() != ProcedureFacts.Reach.INDEPENDENT) {
      return signature + " is coordinated; abelian.explain_procedure() says why";
    } else if (!call.routed().writes()) {
      return "it only reads";
    } else if (company != null) {
      return company;
    } else if (IsolationSettings.isStrict(
        context.engine().transactions().state(), context.engine().backends())) {
      return "its isolation level is above READ COMMITTED";
    } else if (call.participants().size() > PARTICIPANTS_MAX) {
      return "more than " + PARTICIPANTS_MAX + " nodes take part";
    } else if (IntentText.settings(context.settings().current()).isEmpty()) {
      return "a setting of the session does not hold for one transaction alone";
    }
    return null;
  }
}
