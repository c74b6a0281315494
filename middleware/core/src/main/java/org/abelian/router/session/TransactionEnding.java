package org.abelian.router.session;

import java.util.ArrayList;
import java.util.List;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.execution.TagSum;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.ErrorFields;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.transaction.Answer;
import org.abelian.router.transaction.CommitOutcome;
import org.abelian.router.transaction.CommitRequest;
import org.abelian.router.transaction.EarlyVote;
import org.abelian.router.transaction.Participant;

/**
 * The end of a session's transaction on all nodes that have it open, and what the session learns by
 * it: settings that stay, a schema that changed.
 */
final class TransactionEnding {
  private final Session session;
  private final TransactionState state;
  private boolean schemaChanged;
  private Early early;

  /** A vote that travels with the work. */
  private record Early(EarlyVote vote, Link holder, List<Link> others, List<TagSum> answers) {}

  TransactionEnding(Session session) {
    this.session = session;
    this.state = session.transaction();
  }

  /**
   * Commits on all nodes; afterwards nothing is open.
   *
   * @return false when the transaction had failed before, and is rolled back
   * @throws RuntimeException when it was rolled back for another reason, or nobody knows
   */
  boolean commitAll() {
    if (early != null) {
      return commitEarly();
    }
    List<Link> begun = session.links().begun();
    syncTouched(begun);
    List<Participant> writers = new ArrayList<>();
    List<Participant> readers = new ArrayList<>();
    String token = null;
    for (Link link : begun) {
      if (!link.isUsable()) {
        rollbackAll();
        throw new AbelianException(
            SqlState.CONNECTION_FAILURE,
            "the connection to " + link + " was lost; the transaction is rolled back",
            "Try the transaction again.");
      }
      if (link.connection.transactionStatus() == 'E') {
        state.fail();
      }
      boolean writes = hasTransactionId(link);
      token = token == null && writes ? link.connection.transactionToken() : token;
      (writes ? writers : readers).add(participant(link));
    }
    if (state.isFailed()) {
      rollbackAll();
      return false;
    }
    boolean committed =
        begun.isEmpty() || commit(new CommitRequest(session.id(), token, writers, readers));
    ended(committed);
    return committed;
  }

  private boolean commit(CommitRequest request) {
    ClassChoice choice = ClassChoice.of(session, request.writers());
    announce(choice);
    return answer(
        choice.intent() == null
            ? session.router().commit().commit(request)
            : session.router().commuting().commit(request, choice.intent()));
  }

  /** Counts a choice, and tells the client about it if it wants to know. */
  void announce(ClassChoice choice) {
    session.router().statistics().count(choice);
    if (session.says(ClassChoice.NOTICE, "on", "true", "1")) {
      session.output().notice(ErrorFields.of("NOTICE", "00000", choice.toString()));
    }
  }

  /**
   * Nodes report the transaction's id as soon as it has one; one that cannot is taken at the
   * statements' word.
   */
  private static boolean hasTransactionId(Link link) {
    return link.connection.reportsTokens()
        ? link.connection.transactionToken() != null
        : link.wrote;
  }

  /**
   * Sends the vote behind the work, when several nodes have written; the answers come with the
   * group's.
   */
  void voteEarly() {
    List<Link> writers =
        session.links().begun().stream().filter(link -> link.wrote && link.isUsable()).toList();
    if (early != null || writers.size() < 2 || session.plan().failed()) {
      return;
    }
    Link holder = writers.get(0);
    EarlyVote vote = session.router().commit().voteEarly(holder.nodeId, session.id());
    early = new Early(vote, holder, writers.subList(1, writers.size()), new ArrayList<>());
    ask(holder, List.of(vote.toHolder(participant(holder))), new TagSum());
    for (Link other : early.others()) {
      TagSum answer = new TagSum();
      early.answers().add(answer);
      ask(other, vote.toOther(participant(other)), answer);
    }
  }

  /** The answer is that to the last one. */
  private void ask(Link link, List<String> statements, TagSum answers) {
    session.links().touch(link);
    int last = statements.size() - 1;
    statements.subList(0, last).forEach(sql -> ask(link.connection, sql, new TagSum()));
    ask(link.connection, statements.get(last), answers);
  }

  private void ask(NodeConnection connection, String sql, TagSum answers) {
    if (connection.parseUnnamed(NodeStatement.of(sql))) {
      session.plan().add(NodeReply.swallow(connection));
    }
    connection.writer().begin(FrontendType.BIND).int1(0).int1(0).int2(0).int2(0).int2(0).end();
    connection.writer().begin(FrontendType.EXECUTE).int1(0).int4(0).end();
    session.plan().add(NodeReply.swallow(connection));
    session.plan().add(NodeReply.count(connection, answers));
  }

  private boolean commitEarly() {
    Early vote = early;
    List<Participant> readers = new ArrayList<>();
    for (Link link : session.links().begun()) {
      if (link != vote.holder() && !vote.others().contains(link)) {
        readers.add(participant(link));
      }
    }
    boolean yes =
        vote.answers().stream().allMatch(answer -> answer.tag().equals("PREPARE TRANSACTION"))
            && vote.others().stream().allMatch(TransactionEnding::hasEnded)
            && vote.holder().isUsable();
    if (!yes) {
      rollbackAll();
      return false;
    }
    early = null;
    announce(new ClassChoice(CommitClass.COORDINATED, state.work().obstacle(), null));
    CommitOutcome outcome =
        session
            .router()
            .commit()
            .commitEarly(
                vote.vote(), participant(vote.holder()), participants(vote.others()), readers);
    boolean committed = answer(outcome);
    ended(committed);
    return committed;
  }

  private static boolean hasEnded(Link link) {
    return link.isUsable() && link.connection.transactionStatus() == 'I';
  }

  private LinkParticipant participant(Link link) {
    return new LinkParticipant(link, session.output()::pass);
  }

  private List<Participant> participants(List<Link> links) {
    return links.stream().<Participant>map(this::participant).toList();
  }

  /** Those that have prepared are rolled back under the vote's name. */
  private void abandonEarly() {
    if (early != null) {
      Early vote = early;
      early = null;
      List<Link> prepared = vote.others().stream().filter(link -> !isOpen(link)).toList();
      session.router().commit().abandon(vote.vote(), participants(prepared));
    }
  }

  private static boolean isOpen(Link link) {
    return link.isUsable() && link.connection.transactionStatus() != 'I';
  }

  /**
   * Tells the client what became of its transaction.
   *
   * @return false when it was rolled back because it had failed before
   * @throws RuntimeException when it was rolled back for another reason, or nobody knows
   */
  boolean answer(CommitOutcome outcome) {
    if (outcome instanceof CommitOutcome.Committed committed) {
      committed
          .warnings()
          .forEach(text -> session.output().notice(ErrorFields.of("WARNING", "01000", text)));
      return true;
    }
    if (outcome instanceof CommitOutcome.RolledBackByNode byNode) {
      ended(false);
      throw new Failure(ErrorFields.read((byte[]) byNode.failure().error()));
    } else if (outcome instanceof CommitOutcome.RolledBack rolledBack) {
      ended(false);
      throw rolledBack.error();
    } else if (outcome instanceof CommitOutcome.Unknown unknown) {
      ended(false);
      throw unknown.error();
    }
    return false;
  }

  /** Ends the group's messages there, so that simple queries may follow. */
  private static void sync(Link link) throws NodeLostException {
    link.connection.writer().empty(FrontendType.SYNC);
    link.connection.flush();
    NodeCall.await(link.connection, true);
  }

  private void syncTouched(List<Link> links) {
    for (Link link : links) {
      if (link.touched && link.isUsable()) {
        try {
          sync(link);
        } catch (NodeLostException e) {
          // isUsable() says so from here on.
        }
      }
      session.links().untouch(link);
    }
  }

  /** Rolls back on all nodes that can be reached; the others do it by themselves. */
  void rollbackAll() {
    List<Link> begun = session.links().begun();
    syncTouched(begun);
    abandonEarly();
    List<LinkParticipant> told = new ArrayList<>();
    for (Link link : begun) {
      if (link.isUsable() && link.connection.transactionStatus() != 'I') {
        LinkParticipant participant = participant(link);
        participant.send("ROLLBACK");
        told.add(participant);
      }
    }
    for (LinkParticipant participant : told) {
      if (!(participant.await() instanceof Answer.Done)) {
        participant.close();
      }
    }
    ended(false);
  }

  /** No node has the transaction open any more. */
  void ended(boolean committed) {
    session.watch().transactionEnded(committed && !state.isFailed(), session.links().begun());
    boolean changed = schemaChanged;
    schemaChanged = false;
    for (Link link : session.links().begun()) {
      link.begun = false;
      link.wrote = false;
    }
    state.end();
    session.portals().clear();
    if (changed) {
      session.schemaMayHaveChanged(committed);
    }
  }

  /** What was found out about statements may not hold after this transaction. */
  void schemaChanged() {
    schemaChanged = true;
  }

  /**
   * A group of messages outside of any transaction ended, which each node has committed or rolled
   * back by itself.
   */
  void withoutTransaction(boolean committed) {
    if (schemaChanged) {
      schemaChanged = false;
      session.schemaMayHaveChanged(committed);
    }
  }
}
