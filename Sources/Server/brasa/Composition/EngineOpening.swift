import BaseRuntime
import KeyValueRocksDB
import Synchronization

/// An engine that a thread of its own opens while the caller opens another: most of an opening is
/// waiting for the disk.
///
/// One thread uses it.
final class EngineOpening: Sendable {
  private let directory: String
  private let configuration: RocksDBConfiguration
  /// The thread that opens it; nil before, and once its result was taken.
  private let thread = Mutex<StoreThread?>(nil)
  private let result = Mutex<Result<RocksDBEngine, any Error>?>(nil)

  /// An engine that is not opened yet.
  init(directory: String, _ configuration: RocksDBConfiguration) {
    self.directory = directory
    self.configuration = configuration
  }

  /// Lets a thread open it if the disk has room for that beside the engine in `other`; called once at most.
  func begin(beside other: String) {
    guard RocksDBEngine.hasRoom(toOpen: [other, directory]) else { return }
    let opener = StoreThread { [self] in
      let opened = Result { try RocksDBEngine(directory: directory, configuration: configuration) }
      result.withLock { $0 = opened }
    }
    thread.withLock { $0 = opener }
  }

  /// Returns the engine once it is open; opens it on the calling thread if it has not begun.
  ///
  /// Blocks. Called once.
  func engine() throws -> RocksDBEngine {
    if let opened = finished() { return try opened.get() }
    return try RocksDBEngine(directory: directory, configuration: configuration)
  }

  /// Closes the engine if it has begun to open, since the caller failed to open the other one.
  ///
  /// Blocks.
  func abandon() {
    guard case .success(let engine) = finished() else { return }
    // The caller has a failure to report already.
    try? engine.close()
  }

  /// Waits for the thread; nil if there is none.
  private func finished() -> Result<RocksDBEngine, any Error>? {
    guard let opener = thread.withLock({ $0.take() }) else { return nil }
    opener.join()
    return result.withLock { $0.take() }
  }
}
