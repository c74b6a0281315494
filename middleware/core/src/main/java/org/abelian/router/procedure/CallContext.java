package org.abelian.router.procedure;

import org.abelian.router.backend.SessionSettings;
import org.abelian.router.engine.EngineContext;
import org.abelian.router.session.BatchScope;
import org.abelian.router.session.BatchSlot;
import org.abelian.router.session.Cancellation;

/**
 * What calls use of their session.
 *
 * @param session its number
 * @param engine its nodes, transaction and client
 * @param settings what it has set
 * @param cancellation whether it is to stop
 * @param slot its part in batches
 * @param scope with whom it may share a batch
 * @param services what it shares with the other sessions of the router
 */
public record CallContext(
    int session,
    EngineContext engine,
    SessionSettings settings,
    Cancellation cancellation,
    BatchSlot slot,
    BatchScope scope,
    ProcedureServices services) {}
