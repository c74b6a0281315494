package org.abelian.harness;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports that stay ours until this process ends. They lie below the kernel's ephemeral range, since
 * otherwise an outgoing connection could take a node's port between its kill and its restart; a
 * locked file per port keeps several test processes apart.
 */
public final class Ports {
  private static final int LOWEST = 20_000;
  private static final int COUNT = 12_000;
  private static final List<FileLock> RESERVED = new ArrayList<>();

  private Ports() {}

  /** Reserves a port on 127.0.0.1 on which nothing listens. */
  public static synchronized int reserve() {
    int start = ThreadLocalRandom.current().nextInt(COUNT);
    for (int i = 0; i < COUNT; i++) {
      int port = LOWEST + (start + i) % COUNT;
      if (isFree(port) && lock(port)) {
        return port;
      }
    }
    throw new HarnessException("no free port between " + LOWEST + " and " + (LOWEST + COUNT));
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean lock(int port) {
    Path folder =
        Path.of(
            System.getProperty("java.io.tmpdir"),
            "abelian-test-ports-" + System.getProperty("user.name"));
    FileChannel channel = null;
    try {
      Files.createDirectories(folder);
      channel =
          FileChannel.open(
              folder.resolve(Integer.toString(port)),
              StandardOpenOption.CREATE,
              StandardOpenOption.WRITE);
      FileLock lock = channel.tryLock();
      if (lock != null) {
        RESERVED.add(lock);
        return true;
      }
      channel.close();
      return false;
    } catch (java.nio.channels.OverlappingFileLockException e) {
      closeQuietly(channel);
      return false;
    } catch (IOException e) {
      throw new HarnessException("cannot reserve ports in " + folder, e);
    }
  }

  private static void closeQuietly(FileChannel channel) {
    try {
      if (channel != null) {
        channel.close();
      }
    } catch (IOException e) {
      // The lock is held by another channel of this process; nothing is lost.
    }
  }
}
