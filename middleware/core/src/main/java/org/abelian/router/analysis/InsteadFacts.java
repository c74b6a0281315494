package org.abelian.router.analysis;

/**
 * What runs instead of a statement when no node can run it for its own rows: {@link GatheredFacts}
 * or {@link StepsFacts}.
 */
public interface InsteadFacts {}
