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

  /// Children of a process that it did not start.
  func strays(of process: pid_t, beside children: Set<pid_t>) -> [Entry] {
    entries.filter { $0.parent == process && !children.contains($0.process) }
  }
}
