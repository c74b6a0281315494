package org.abelian.workloads.auctionmark;

/** A comment on an item that its seller has not answered yet. */
record Question(Item item, long number) {}
