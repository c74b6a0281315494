package org.abelian.harness;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Makes what {@link WithNode} and {@link WithCluster} ask for and closes it when its scope ends.
 */
final class LocalNodeExtension implements ParameterResolver {
  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(LocalNodeExtension.class);

  LocalNodeExtension() {}

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    Class<?> test = context.getRequiredTestClass();
    return type == LocalNode.class && test.isAnnotationPresent(WithNode.class)
        || (type == LocalCluster.class || type == RouterServer.class)
            && test.isAnnotationPresent(WithCluster.class);
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> test = context.getRequiredTestClass();
    if (parameter.getParameter().getType() == LocalNode.class) {
      WithNode wanted = test.getAnnotation(WithNode.class);
      Map<String, String> settings = settings(wanted.settings());
      return obtain(
          context, wanted.exclusive(), "node " + settings, () -> LocalNode.create(settings));
    }
    WithCluster wanted = test.getAnnotation(WithCluster.class);
    Map<String, String> settings = settings(wanted.settings());
    String key = wanted.nodes() + " nodes " + settings;
    LocalCluster cluster =
        (LocalCluster)
            obtain(
                context,
                wanted.exclusive(),
                key,
                () -> LocalCluster.create(wanted.nodes(), settings));
    return parameter.getParameter().getType() == LocalCluster.class
        ? cluster
        : obtain(
            context, wanted.exclusive(), "router of " + key, () -> RouterServer.start(cluster));
  }

  private static Object obtain(
      ExtensionContext context,
      boolean exclusive,
      String key,
      Supplier<? extends AutoCloseable> maker) {
    ExtensionContext owner = exclusive ? classContext(context) : context.getRoot();
    // A store also finds what its ancestors have: without a key of its own, an exclusive cluster
    // would be the shared one.
    return owner
        .getStore(NAMESPACE)
        .getOrComputeIfAbsent(
            exclusive ? "exclusive " + key : key, k -> maker.get(), AutoCloseable.class);
  }

  private static ExtensionContext classContext(ExtensionContext context) {
    ExtensionContext current = context;
    while (current.getTestMethod().isPresent()) {
      current = current.getParent().orElseThrow();
    }
    return current;
  }

  private static Map<String, String> settings(String[] assignments) {
    return Arrays.stream(assignments)
        .map(a -> a.split("=", 2))
        .collect(Collectors.toMap(a -> a[0], a -> a[1], (a, b) -> b, TreeMap::new));
  }
}
