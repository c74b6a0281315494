package org.abelian.harness;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives the test class's constructors and methods a {@link LocalNode} parameter. One node with the
 * same settings is shared by all classes of a run: tests make their own schema and do not stop it.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(LocalNodeExtension.class)
public @interface WithNode {
  /** Extra configuration parameters, each {@code name=value}. */
  String[] settings() default {};

  /** A node for this class alone, which it may stop and kill. */
  boolean exclusive() default false;
}
