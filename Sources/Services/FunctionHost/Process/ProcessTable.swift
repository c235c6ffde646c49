import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The processes of the machine at one moment, as far as the system shows them (Linux's `/proc`).
struct ProcessTable {
  /// One process.
  struct Entry {
    let process: pid_t
    let parent: pid_t
    let group: pid_t
    let session: pid_t
    let residentBytes: Int
    /// True if the process has ended and waits for its parent.
    let hasEnded: Bool
  }

  private let entries: [Entry]

  /// The numbers of all processes.
  var processes: Set<pid_t> { Set(entries.map(\.process)) }

  /// The sessions of all processes.
  var sessions: Set<pid_t> { Set(entries.map(\.session)) }

  /// Reads the table; empty where there is no `/proc`.
  static func read() -> ProcessTable {
    guard let folder = opendir("/proc") else { return ProcessTable(entries: []) }
    defer { closedir(folder) }
    var entries: [Entry] = []
    while let item = readdir(folder) {
      let name = withUnsafeBytes(of: item.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard let process = pid_t(name), let entry = entry(process) else { continue }
      entries.append(entry)
    }
    return ProcessTable(entries: entries)
  }

  private static func entry(_ process: pid_t) -> Entry? {
    guard let text = text(of: "/proc/\(process)/stat"), let name = text.lastIndex(of: ")") else {
      return nil
    }
    // Behind the name: state, parent, group, session, …; the resident pages are the 24th field of all.
    let fields = text[text.index(after: name)...].split(separator: " ")
    guard fields.count > 21, let parent = pid_t(fields[1]), let group = pid_t(fields[2]),
      let session = pid_t(fields[3]), let pages = Int(fields[21])
    else { return nil }
    return Entry(
      process: process,
      parent: parent,
      group: group,
      session: session,
      residentBytes: pages * Int(sysconf(Int32(_SC_PAGESIZE))),
      hasEnded: fields[0] == "Z"
    )
  }

  /// The text of a small file of the system; nil where it is gone.
  static func text(of path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = Platform.read(descriptor, &buffer, buffer.count)
      guard count > 0 else { break }
      text += buffer[..<count]
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The program with that process id and everything of its session or below it.
  func members(of process: pid_t) -> [Entry] {
    var known: Set<pid_t> = [process]
    for entry in entries where entry.session == process || entry.group == process {
      known.insert(entry.process)
    }
    var grows = true
    while grows {
      grows = false
      for entry in entries where known.contains(entry.parent) {
        if known.insert(entry.process).inserted { grows = true }
      }
    }
    return entries.filter { known.contains($0.process) && !$0.hasEnded }
  }

  /// The memory of processes in which a page that several of them share counts once.
  ///
  /// A copy of a process has all pages of its parent in its resident size at first: an instance of
  /// Python is two such processes. The kernel divides shared pages among those that map them
  /// (`Pss`); if it reports nothing, the resident size counts.
  static func memory(of members: [Entry]) -> Int {
    members.reduce(0) { $0 + (proportionalBytes(of: $1.process) ?? $1.residentBytes) }
  }

  private static func proportionalBytes(of process: pid_t) -> Int? {
    guard let text = text(of: "/proc/\(process)/smaps_rollup") else { return nil }
    let line = text.split(separator: "\n").first { $0.hasPrefix("Pss:") }
    guard let fields = line?.split(separator: " "), fields.count > 1, let kilobytes = Int(fields[1])
    else { return nil }
    return kilobytes << 10
  }

  /// Children of a process that it did not start.
  func strays(of process: pid_t, beside children: Set<pid_t>) -> [Entry] {
    entries.filter { $0.parent == process && !children.contains($0.process) }
  }
}
