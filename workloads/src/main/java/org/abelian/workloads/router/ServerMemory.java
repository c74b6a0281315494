package org.abelian.workloads.router;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * Memory of the router server's process, which runs on this machine as the same user.
 *
 * @param heapBytes of objects that are in use
 * @param residentBytes of the process
 */
record ServerMemory(long heapBytes, long residentBytes) {
  private static final String RESIDENT = "VmRSS:";

  /** What it is after a garbage collection. */
  static ServerMemory of(String pid) throws IOException {
    try {
      VirtualMachine machine = VirtualMachine.attach(pid);
      try (JMXConnector connector =
          JMXConnectorFactory.connect(new JMXServiceURL(machine.startLocalManagementAgent()))) {
        MemoryMXBean memory =
            ManagementFactory.getPlatformMXBean(
                connector.getMBeanServerConnection(), MemoryMXBean.class);
        memory.gc();
        return new ServerMemory(memory.getHeapMemoryUsage().getUsed(), resident(pid));
      } finally {
        machine.detach();
      }
    } catch (AttachNotSupportedException e) {
      throw new IOException("cannot ask process " + pid + " about its memory", e);
    }
  }

  private static long resident(String pid) throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc", pid, "status"))) {
      if (line.startsWith(RESIDENT)) {
        return 1024 * Long.parseLong(line.replaceAll("\\D", ""));
      }
    }
    throw new IOException("/proc does not tell the memory of process " + pid);
  }
}
