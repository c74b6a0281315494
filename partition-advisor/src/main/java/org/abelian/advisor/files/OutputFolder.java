package org.abelian.advisor.files;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.stream.Stream;
import org.abelian.advisor.AdvisorException;

/**
 * The folder that a phase writes. It has another name until {@link #finish}, so that a phase that
 * fails or is interrupted leaves nothing that looks done.
 */
public final class OutputFolder implements AutoCloseable {
  /** In every folder that a phase has finished. */
  private static final String MARK = ".abelian-advisor";

  private final Path target;
  private final Path unfinished;
  private final Thread atExit = new Thread(this::removeUnfinished);
  private boolean finished;

  private OutputFolder(Path target, Path unfinished) {
    this.target = target;
    this.unfinished = unfinished;
  }

  /**
   * Begins a folder. One that an earlier run finished is replaced at the end.
   *
   * @throws AdvisorException when something else is there
   */
  public static OutputFolder begin(Path target) {
    if (Files.exists(target) && !isOurs(target) && !isEmpty(target)) {
      throw new AdvisorException(
          target + " exists and was not written by this program: name another folder");
    }
    Path absolute = target.toAbsolutePath();
    Path unfinished =
        absolute.resolveSibling(
            "." + absolute.getFileName() + ".unfinished-" + ProcessHandle.current().pid());
    OutputFolder folder = new OutputFolder(absolute, unfinished);
    try {
      Folders.delete(unfinished);
      Files.createDirectories(unfinished);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Runtime.getRuntime().addShutdownHook(folder.atExit);
    return folder;
  }

  /** Where to write meanwhile. */
  public Path path() {
    return unfinished;
  }

  /** A file in it. */
  public Path file(String name) {
    return unfinished.resolve(name);
  }

  /** Gives the folder its name. */
  public void finish() {
    try {
      Files.writeString(unfinished.resolve(MARK), "");
      Folders.delete(target);
      Files.move(unfinished, target, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    finished = true;
  }

  @Override
  public void close() {
    if (!finished) {
      removeUnfinished();
    }
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException alreadyExiting) {
      // The hook does the same.
    }
  }

  private void removeUnfinished() {
    try {
      Folders.delete(unfinished);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isOurs(Path folder) {
    return Files.exists(folder.resolve(MARK));
  }

  private static boolean isEmpty(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files.findAny().isEmpty();
    } catch (IOException e) {
      return false;
    }
  }
}
