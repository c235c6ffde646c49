import Foundation
import Locking

/// The file of an app's events, for all of its processes.
///
/// A step reads the records that other processes have added, and appends its own with one write. It
/// has the file's lock during this. Appended records are safe from the end of the process;
/// ``sync()`` makes them safe from a power cut. May be used from any thread.
final class EventLog: Sendable {
  /// An open file and how far it was read.
  private struct Open {
    let file: LogFile
    var offset: Int
  }

  private struct State {
    var open: Open?
    var editor = LogEditor()
  }

  /// Bytes that may be superseded before the file is rewritten.
  private static let slack = 256 << 10

  private let url: URL
  private let lock: LogFile
  private let state = Lock(State())

  /// A log in a file, whose directory is made where there is none.
  init(_ url: URL) throws {
    self.url = url
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(),
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
    // A file of its own, since the log itself is replaced now and then.
    lock = try LogFile(url.appendingPathExtension("lock"))
  }

  /// Does one step, in which `body` reads the contents and appends records.
  ///
  /// A step that throws leaves the log as it was.
  func update<Result: Sendable>(_ body: (inout LogEditor) throws -> Result) throws -> Result {
    try state.withLock { state in
      try lock.lock()
      defer { lock.unlock() }
      try catchUp(&state)
      do {
        let result = try body(&state.editor)
        try write(&state)
        return result
      } catch {
        // The contents may have records that the file lacks.
        state = State()
        throw error
      }
    }
  }

  /// Returns when everything so far is on the disk.
  func sync() throws {
    let file = state.withLock { $0.open?.file }
    try file?.sync()
  }

  private func catchUp(_ state: inout State) throws {
    if let open = state.open, try LogFile.identity(of: url) != open.file.identity() {
      state = State()
    }
    if state.open == nil {
      state = State(open: Open(file: try LogFile(url), offset: 0))
    }
    guard var open = state.open else { return }
    if open.offset == 0 { try readHead(&open) }
    let bytes = try open.file.read(from: open.offset)
    let count = LogFrame.decode(bytes) { state.editor.apply($0, size: $1) }
    if count < bytes.count {
      EventRules.log(
        "The events file ends with \(bytes.count - count) bytes of an incomplete event, which were discarded."
      )
      try open.file.truncate(to: open.offset + count)
    }
    open.offset += count
    state.open = open
  }

  /// Reads the beginning of a file, or writes it where there is none that can be read.
  private func readHead(_ open: inout Open) throws {
    open.offset = LogFrame.magic.count
    let head = try open.file.read(from: 0).prefix(open.offset)
    guard head != LogFrame.magic else { return }
    try open.file.truncate(to: 0)
    try open.file.write(LogFrame.magic, at: 0)
  }

  private func write(_ state: inout State) throws {
    guard var open = state.open else { return }
    let bytes = state.editor.takeBytes()
    guard !bytes.isEmpty else { return }
    do {
      try open.file.write(bytes, at: open.offset)
    } catch {
      try open.file.truncate(to: open.offset)
      throw error
    }
    open.offset += bytes.count
    state.open = open
    if open.offset > 2 * state.editor.contents.waitingBytes + Self.slack { try compact(&state) }
  }

  /// Writes a file with what still counts and puts it in the old one's place.
  private func compact(_ state: inout State) throws {
    let new = url.appendingPathExtension("new")
    let file = try LogFile(new)
    try file.truncate(to: 0)
    var bytes = LogFrame.magic
    for record in state.editor.contents.records { bytes += try LogFrame.encoded(record) }
    try file.write(bytes, at: 0)
    try file.sync()
    guard rename(new.path, url.path) == 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
    state.open = Open(file: file, offset: bytes.count)
  }
}
