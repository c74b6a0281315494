package org.abelian.server;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The signal SIGHUP, by which a server of PostgreSQL is told to read its files again. The JDK has
 * it in a class that compilers warn of, so it is called by name.
 */
final class Hangup {
  private static final Logger LOG = LoggerFactory.getLogger(Hangup.class);

  private Hangup() {}

  /** From now on the signal runs this; where there are no signals, nothing does. */
  static void handle(Runnable action) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Object proxy =
          Proxy.newProxyInstance(
              Hangup.class.getClassLoader(),
              new Class<?>[] {handler},
              (self, method, arguments) -> {
                if (method.getName().equals("handle")) {
                  action.run();
                }
                return null;
              });
      Method handle = signal.getMethod("handle", signal, handler);
      Object before =
          handle.invoke(null, signal.getConstructor(String.class).newInstance("HUP"), proxy);
      if (handler.getField("SIG_IGN").get(null).equals(before)) {
        // Java leaves it so, and no handler is called.
        LOG.warn("SIGHUP is ignored, as nohup asks for: files are read at the start only");
      }
    } catch (ReflectiveOperationException e) {
      LOG.info("no SIGHUP here: {}", String.valueOf(e.getCause()));
    }
  }
}
