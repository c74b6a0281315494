package org.abelian.histories.load;

/**
 * How many members work, and how often the session of one is ended.
 *
 * @param members who work at a time
 * @param looks after how many the work is done
 * @param pauseMillis between two of them
 */
public record Kills(int members, int looks, long pauseMillis) {}
