/**
 * Idioms of applications on one object that many clients change: what people write over plain
 * columns today against the column types. An idiom is one file, named in {@code Idioms}.
 */
package org.abelian.workloads.types;
