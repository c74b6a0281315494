/**
 * What all phases need of files: folders that appear whole or not at all, JSON, and the embedded
 * analytical engine over Parquet. Knows no phase.
 */
package org.abelian.advisor.files;
