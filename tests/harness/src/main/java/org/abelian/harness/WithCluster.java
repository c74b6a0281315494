package org.abelian.harness;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives the test class's constructors and methods a {@link LocalCluster} parameter, and a {@link
 * RouterServer} before it, shared by all classes of a run that ask for the same unless {@link
 * #exclusive}.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(LocalNodeExtension.class)
public @interface WithCluster {
  int nodes() default 3;

  /** Extra configuration parameters of every node, each {@code name=value}. */
  String[] settings() default {};

  /** A cluster for this class alone, whose nodes it may stop and kill. */
  boolean exclusive() default false;
}
