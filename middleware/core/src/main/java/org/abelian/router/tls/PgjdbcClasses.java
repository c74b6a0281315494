package org.abelian.router.tls;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.util.Properties;
import javax.net.ssl.HostnameVerifier;
import javax.net.ssl.SSLSocketFactory;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.CallbackHandler;
import javax.security.auth.callback.PasswordCallback;
import javax.security.auth.callback.UnsupportedCallbackException;
import org.postgresql.PGProperty;
import org.postgresql.util.ObjectFactory;

/** The classes that properties of pgjdbc name, made as pgjdbc makes them. */
final class PgjdbcClasses {
  private final NodeTlsSettings settings;
  private final Properties properties = new Properties();

  PgjdbcClasses(NodeTlsSettings settings) {
    this.settings = settings;
    properties.putAll(settings.classes());
    properties.setProperty(PGProperty.SSL_MODE.getName(), settings.mode().toString());
  }

  boolean namesSocketFactory() {
    return named(PGProperty.SSL_FACTORY) != null;
  }

  /** What sslfactory names; null for none. */
  SSLSocketFactory socketFactory() throws TlsException {
    String argument = named(PGProperty.SSL_FACTORY_ARG);
    return make(SSLSocketFactory.class, PGProperty.SSL_FACTORY, true, argument);
  }

  /** What sslhostnameverifier names; null for none. */
  HostnameVerifier hostnameVerifier() throws TlsException {
    return make(HostnameVerifier.class, PGProperty.SSL_HOSTNAME_VERIFIER, false, null);
  }

  /** The key's passphrase, from sslpasswordcallback or sslpassword; null for none. */
  char[] passphrase() throws TlsException {
    CallbackHandler handler =
        make(CallbackHandler.class, PGProperty.SSL_PASSWORD_CALLBACK, false, null);
    if (handler == null) {
      return settings.password() == null ? null : settings.password().toCharArray();
    }
    PasswordCallback callback = new PasswordCallback("Enter SSL password: ", false);
    try {
      handler.handle(new Callback[] {callback});
      return callback.getPassword();
    } catch (IOException | UnsupportedCallbackException e) {
      throw new TlsException("the password callback class failed: " + e.getMessage(), e);
    }
  }

  private String named(PGProperty property) {
    return settings.classes().get(property.getName());
  }

  private <T> T make(Class<T> type, PGProperty property, boolean withProperties, String argument)
      throws TlsException {
    String name = named(property);
    if (name == null) {
      return null;
    }
    try {
      return ObjectFactory.instantiate(type, name, properties, withProperties, argument);
    } catch (InvocationTargetException e) {
      throw cannotMake(property, name, e.getCause());
    } catch (ReflectiveOperationException | ClassCastException e) {
      throw cannotMake(property, name, e);
    }
  }

  private static TlsException cannotMake(PGProperty property, String name, Throwable cause) {
    return new TlsException(
        "the class \"" + name + "\" of " + property.getName() + " could not be used: " + cause,
        cause);
  }
}
