import CLauncher

/// A program that the host starts, with the rights that it keeps.
package struct ConfinedProgram: Sendable {
  /// The path of the program.
  package var executable: String
  /// Its arguments, without its name.
  package var arguments: [String] = []
  /// Its whole environment.
  package var environment: [String: String] = [:]
  /// Its working directory.
  package var directory: String
  /// Paths that it reads, beside those of the system.
  package var readable: [String] = []
  /// Paths that it writes.
  package var writable: [String] = []
  /// The largest number of open files.
  package var files = 1_024
  /// The most memory of all its processes together; nil is no limit.
  package var memoryBytes: Int?
  /// The most writable memory that one of its processes may map, which bounds what it takes between two measurements.
  ///
  /// Far above `memoryBytes`: stacks of threads and heaps are mapped long before they are used.
  var dataBytes: Int? { memoryBytes.map { 8 * $0 + (2 << 30) + threads * (8 << 20) } }
  /// The threads of one process, each of which maps 8 MB.
  var threads = 64
  /// The most processes.
  package var processes = 64
  /// False runs it with the server's rights: for the operator's own tools, and in development where the kernel can't
  /// confine.
  package var isConfined = brasa_landlock_version() > 0

  /// A confined program without arguments.
  package init(executable: String, directory: String) {
    self.executable = executable
    self.directory = directory
  }

  /// Paths of the system that every confined program reads.
  static let system = [
    "/usr", "/lib", "/lib64", "/lib32", "/bin", "/sbin", "/proc", "/sys/fs/cgroup",
    "/sys/devices/system/cpu", "/run/systemd/resolve", "/run/resolvconf", "/etc/alternatives",
    "/etc/ca-certificates", "/etc/gai.conf", "/etc/group", "/etc/host.conf", "/etc/hosts",
    "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime", "/etc/mime.types",
    "/etc/nsswitch.conf", "/etc/passwd", "/etc/pki", "/etc/protocols",
    "/etc/resolv.conf", "/etc/services", "/etc/ssl", "/etc/timezone",
    // The facts that pip reads to name the system.
    "/etc/alpine-release", "/etc/arch-release", "/etc/centos-release", "/etc/debian_version",
    "/etc/fedora-release", "/etc/lsb-release", "/etc/os-release", "/etc/pip.conf",
    "/etc/redhat-release", "/etc/rocky-release", "/etc/SuSE-release", "/etc/system-release",
    "/etc/xdg/pip",
  ]
}

/// The end of a program.
package enum ProgramEnd: Sendable, Hashable {
  case exited(Int32)
  case signalled(Int32)
  /// The host ended it because it took more memory than it may.
  case memoryLimit(used: Int, limit: Int)
  /// The host ended it because it had more processes than it may.
  case processLimit

  /// The end in words for logs.
  package var text: String {
    switch self {
    case .exited(let code): "exited with code \(code)"
    case .signalled(let number): "ended by signal \(number)"
    case .memoryLimit(let used, let limit):
      "exceeded its memory limit (\(used >> 20) of \(limit >> 20) MB) and was stopped"
    case .processLimit: "started too many processes and was stopped"
    }
  }
}
