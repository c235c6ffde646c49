/// The calls that the shim recorded; `Tests/Faults/shim.c` describes the format.
struct Trace {
  enum Event {
    case open(inode: UInt64, isNew: Bool, path: String)
    case write(inode: UInt64, offset: Int, bytes: [UInt8])
    case truncate(inode: UInt64, size: Int)
    case syncing(inode: UInt64, serial: Int)
    case synced(inode: UInt64, serial: Int)
    case rename(from: String, to: String)
    case link(from: String, to: String)
    case unlink(path: String)
    case makeDirectory(path: String)
    case mark(String)
    case failed(inode: UInt64, what: String)
  }

  struct Malformed: Error {
    let line: String
  }

  private(set) var events: [Event] = []

  init(parsing bytes: [UInt8]) throws {
    var rest = bytes[...]
    while let end = rest.firstIndex(of: 0x0A) {
      let line = String(decoding: rest[..<end], as: UTF8.self)
      let words = line.split(separator: " ")
      guard words.count == 5, let inode = UInt64(words[2]), let number = Int(words[3]),
        let count = Int(words[4]), rest.endIndex > end + 1 + count
      else { throw Malformed(line: line) }
      let payload = Array(rest[(end + 1)..<(end + 1 + count)])
      guard let event = Self.event(String(words[1]), inode, number, payload) else {
        throw Malformed(line: line)
      }
      events.append(event)
      rest = rest[(end + 2 + count)...]
    }
  }

  /// The marks before that event.
  func marks(before index: Int) -> [String] {
    events[..<index].compactMap { event in
      guard case .mark(let text) = event else { return nil }
      return text
    }
  }

  private static func event(
    _ word: String,
    _ inode: UInt64,
    _ number: Int,
    _ bytes: [UInt8]
  ) -> Event? {
    let text = String(decoding: bytes, as: UTF8.self)
    switch word {
    case "open": return .open(inode: inode, isNew: number == 1, path: text)
    case "write": return .write(inode: inode, offset: number, bytes: bytes)
    case "truncate": return .truncate(inode: inode, size: number)
    case "syncing": return .syncing(inode: inode, serial: number)
    case "synced": return .synced(inode: inode, serial: number)
    case "rename": return .rename(from: name(bytes[..<number]), to: name(bytes[number...]))
    case "link": return .link(from: name(bytes[..<number]), to: name(bytes[number...]))
    case "unlink": return .unlink(path: text)
    case "mkdir": return .makeDirectory(path: text)
    case "mark": return .mark(text.trimmingNewline)
    case "failed": return .failed(inode: inode, what: text)
    default: return nil
    }
  }

  private static func name(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self)
  }
}

extension String {
  fileprivate var trimmingNewline: String {
    hasSuffix("\n") ? String(dropLast()) : self
  }
}
