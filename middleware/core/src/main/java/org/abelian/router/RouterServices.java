package org.abelian.router;

import java.util.List;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.abelian.router.backend.SealKeys;
import org.abelian.router.batching.Amounts;
import org.abelian.router.batching.Batcher;
import org.abelian.router.catalog.CatalogStore;
import org.abelian.router.catalog.Node;
import org.abelian.router.engine.LookupGuesses;
import org.abelian.router.engine.ReadBatch;
import org.abelian.router.execution.ObjectNumbers;
import org.abelian.router.notification.NotificationHub;
import org.abelian.router.pool.NodePools;
import org.abelian.router.procedure.ProcedureServices;
import org.abelian.router.protocol.MemoryBudget;
import org.abelian.router.session.CommitServices;
import org.abelian.router.session.LockOrder;
import org.abelian.router.session.ReadLedger;
import org.abelian.router.session.SnapshotGate;
import org.abelian.router.statement.StatementCache;
import org.abelian.router.trace.Tracer;
import org.abelian.router.transaction.IntentLedger;
import org.abelian.router.transaction.OutcomeInquiry;

/**
 * What the sessions of a router share.
 *
 * @param uuid of the router
 * @param database that it serves
 * @param seeds the nodes that it was given
 * @param pools connections to nodes
 * @param memory counts the buffers of all sessions
 * @param sealKeys tell nodes the router's own words from its clients'
 * @param catalogs the nodes and the placement
 * @param statements the texts of all clients
 * @param sessions all that are open
 * @param updates batches updates of contended rows
 * @param reads batches reads of one node that would wait for its processors
 * @param readsOfSeveral the same for reads of several nodes
 * @param commits commits over several nodes
 * @param procedures calls of distributed procedures
 * @param intents commuting transactions that are not over
 * @param ledger what reads of several nodes have learned
 * @param outcomes what became of transactions
 * @param control the router's own connections to nodes
 * @param tracer records transactions; null while none are recorded
 * @param keys random UUIDs that nobody can foresee
 * @param schemaEpoch grows when a schema was changed through this router
 * @param schemaChanged nothing that was found out about texts before need hold
 * @param firstSession starts what the router does beside its sessions
 * @param guesses where rows were that lookup indexes led to
 * @param notifications what sessions listen to
 * @param numbers by which clients know users' objects
 * @param figures for those who watch the router
 * @param order whether groups of messages keep the order of their locks
 */
record RouterServices(
    UUID uuid,
    String database,
    List<Node> seeds,
    NodePools pools,
    MemoryBudget memory,
    SealKeys sealKeys,
    CatalogStore catalogs,
    StatementCache statements,
    SessionRegistry sessions,
    Batcher<Amounts> updates,
    Batcher<ReadBatch> reads,
    Batcher<ReadBatch> readsOfSeveral,
    CommitServices commits,
    ProcedureServices procedures,
    IntentLedger intents,
    ReadLedger ledger,
    OutcomeInquiry outcomes,
    SnapshotGate.ControlConnections control,
    Tracer tracer,
    Supplier<UUID> keys,
    LongSupplier schemaEpoch,
    Runnable schemaChanged,
    Runnable firstSession,
    LookupGuesses guesses,
    NotificationHub notifications,
    ObjectNumbers numbers,
    RouterFigures figures,
    LockOrder order) {}
