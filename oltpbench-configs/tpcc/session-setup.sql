-- NewOrder reads d_next_o_id and d_tax FOR UPDATE; d_ytd of the same row stays open for Payment.
SET abelian.locking_reads = selected;
