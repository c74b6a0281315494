package org.abelian.harness;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A certificate authority of a test's own, made by openssl in a folder. What it issues is worth
 * nothing elsewhere.
 */
public final class CertificateAuthority {
  private static final long TIMEOUT_SECONDS = 60;

  /** Dates for {@code openssl ca}. */
  private static final String LONG_AGO = "20200101000000Z";

  private static final String NOT_SO_LONG_AGO = "20210101000000Z";
  private static final String IN_AGES = "20490101000000Z";

  private final Path folder;
  private final String name;

  /** A certificate and its key, both in PEM. */
  public record Issued(Path certificate, Path key) {}

  private CertificateAuthority(Path folder, String name) {
    this.folder = folder;
    this.name = name;
  }

  /** Makes one in a new folder below another. */
  public static CertificateAuthority create(Path parent, String name) {
    CertificateAuthority authority = prepare(parent, name);
    authority.makeKey("ca", "EC");
    authority.openssl(
        "req",
        "-x509",
        "-new",
        "-key",
        "ca.key",
        "-out",
        "ca.crt",
        "-days",
        "3650",
        "-subj",
        "/CN=" + name);
    authority.renewRevocations();
    return authority;
  }

  /** Makes another one, which this one vouches for, in a folder below. */
  public CertificateAuthority intermediate(String name) {
    CertificateAuthority authority = prepare(folder, name);
    try {
      Files.writeString(folder.resolve("authority.ext"), "basicConstraints=critical,CA:TRUE\n");
    } catch (IOException e) {
      throw new HarnessException("cannot make a certificate authority", e);
    }
    makeKey(name, "EC");
    request(name, name, List.of());
    sign(name, List.of("-extfile", "authority.ext"), LONG_AGO, IN_AGES);
    try {
      Files.copy(folder.resolve(name + ".crt"), authority.certificate());
      Files.copy(folder.resolve(name + ".key"), authority.folder.resolve("ca.key"));
    } catch (IOException e) {
      throw new HarnessException("cannot make a certificate authority", e);
    }
    authority.renewRevocations();
    return authority;
  }

  private static CertificateAuthority prepare(Path parent, String name) {
    try {
      Path folder = Files.createDirectory(parent.resolve(name + "-files"));
      Files.writeString(folder.resolve("index.txt"), "");
      Files.writeString(folder.resolve("serial"), "1000\n");
      Files.writeString(folder.resolve("crlnumber"), "1000\n");
      Files.writeString(folder.resolve("ca.conf"), configuration(folder));
      return new CertificateAuthority(folder, name);
    } catch (IOException e) {
      throw new HarnessException("cannot make a certificate authority", e);
    }
  }

  private static String configuration(Path folder) {
    return """
    [ca]
    default_ca = here
    [here]
    dir = %s
    database = $dir/index.txt
    serial = $dir/serial
    crlnumber = $dir/crlnumber
    new_certs_dir = $dir
    certificate = $dir/ca.crt
    private_key = $dir/ca.key
    default_md = sha256
    default_crl_days = 3650
    policy = any
    unique_subject = no
    copy_extensions = copy
    [any]
    commonName = supplied
    """
        .formatted(folder);
  }

  /** Issues a certificate for a server or a client, with a new elliptic key. */
  public Issued issue(String file, String commonName, String... alternativeNames) {
    return issue(file, "EC", commonName, LONG_AGO, IN_AGES, alternativeNames);
  }

  /** The same with another kind of key: EC, RSA, or one that openssl's genpkey knows. */
  public Issued issueWithKey(
      String file, String algorithm, String commonName, String... alternativeNames) {
    return issue(file, algorithm, commonName, LONG_AGO, IN_AGES, alternativeNames);
  }

  /** One whose time is over. */
  public Issued issueExpired(String file, String commonName, String... alternativeNames) {
    return issue(file, "EC", commonName, LONG_AGO, NOT_SO_LONG_AGO, alternativeNames);
  }

  private Issued issue(
      String file,
      String algorithm,
      String commonName,
      String from,
      String until,
      String... alternativeNames) {
    makeKey(file, algorithm);
    List<String> request = new ArrayList<>();
    if (alternativeNames.length > 0) {
      request.addAll(List.of("-addext", "subjectAltName=" + String.join(",", alternativeNames)));
    }
    request(file, commonName, request);
    sign(file, List.of(), from, until);
    return new Issued(folder.resolve(file + ".crt"), folder.resolve(file + ".key"));
  }

  private void request(String file, String commonName, List<String> more) {
    List<String> command =
        new ArrayList<>(List.of("req", "-new", "-key", file + ".key", "-out", file + ".csr"));
    command.addAll(List.of("-subj", "/CN=" + commonName));
    command.addAll(more);
    openssl(command.toArray(String[]::new));
  }

  private void sign(String file, List<String> more, String from, String until) {
    List<String> command =
        new ArrayList<>(List.of("ca", "-batch", "-notext", "-config", "ca.conf"));
    command.addAll(List.of("-in", file + ".csr", "-out", file + ".crt"));
    command.addAll(List.of("-startdate", from, "-enddate", until));
    command.addAll(more);
    openssl(command.toArray(String[]::new));
  }

  private void makeKey(String file, String algorithm) {
    List<String> command = new ArrayList<>(List.of("genpkey", "-algorithm", algorithm));
    if (algorithm.equals("EC")) {
      command.addAll(List.of("-pkeyopt", "ec_paramgen_curve:P-256"));
    }
    command.addAll(List.of("-out", file + ".key"));
    openssl(command.toArray(String[]::new));
    makePrivate(folder.resolve(file + ".key"));
  }

  /** Takes all rights from everybody but the owner. */
  public static void makePrivate(Path file) {
    try {
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    } catch (IOException e) {
      throw new HarnessException("cannot protect " + file, e);
    }
  }

  /** Revokes a certificate, and writes the list anew. */
  public void revoke(Issued issued) {
    openssl("ca", "-config", "ca.conf", "-revoke", issued.certificate().getFileName().toString());
    renewRevocations();
  }

  private void renewRevocations() {
    openssl("ca", "-config", "ca.conf", "-gencrl", "-out", "ca.crl");
  }

  /** The authority's own certificate. */
  public Path certificate() {
    return folder.resolve("ca.crt");
  }

  /** What it has revoked. */
  public Path revocations() {
    return folder.resolve("ca.crl");
  }

  /** Where its files are. */
  public Path folder() {
    return folder;
  }

  /** Runs openssl in the folder. */
  public void openssl(String... arguments) {
    List<String> command = new ArrayList<>(List.of("openssl"));
    command.addAll(List.of(arguments));
    try {
      Process process =
          new ProcessBuilder(command)
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
              .start();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
        process.destroyForcibly();
        throw new HarnessException(command + " failed:\n" + output);
      }
    } catch (IOException e) {
      throw new HarnessException("cannot run " + command, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new HarnessException("interrupted while running " + command, e);
    }
  }

  @Override
  public String toString() {
    return "certificate authority " + name;
  }
}
