package org.abelian.parity;

/**
 * One statement or backslash command of a script.
 *
 * @param firstLine its first line, counted from 0
 * @param lastLine its last line
 * @param text all its lines
 */
record Statement(int firstLine, int lastLine, String text) {}
