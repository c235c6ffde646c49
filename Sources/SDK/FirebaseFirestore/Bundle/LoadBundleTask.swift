import FirebaseCore
import FirestoreSync
import Foundation
import Locking

/// The handle that removes an observer of a bundle's loading.
public typealias LoadBundleObserverHandle = Int

/// The state of a bundle's loading.
public enum LoadBundleTaskState: Int, Sendable {
  /// It failed.
  case error = 0
  /// It continues.
  case inProgress = 1
  /// All is loaded.
  case success = 2
}

/// The progress of a bundle's loading.
public final class LoadBundleTaskProgress: NSObject, Sendable {
  /// The documents that are loaded.
  public let documentsLoaded: Int
  /// The documents of the whole bundle.
  public let totalDocuments: Int
  /// The bytes that are loaded.
  public let bytesLoaded: Int
  /// The bytes of the whole bundle.
  public let totalBytes: Int
  /// The state of the loading.
  public let state: LoadBundleTaskState

  init(_ progress: BundleProgress, _ state: LoadBundleTaskState) {
    documentsLoaded = progress.documentsLoaded
    totalDocuments = progress.totalDocuments
    bytesLoaded = progress.bytesLoaded
    totalBytes = progress.totalBytes
    self.state = state
  }

  init(failedWith totalBytes: Int) {
    documentsLoaded = 0
    totalDocuments = 0
    bytesLoaded = 0
    self.totalBytes = totalBytes
    state = .error
  }

  /// True for the same counts and the same state.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? LoadBundleTaskProgress else { return false }
    return documentsLoaded == other.documentsLoaded && totalDocuments == other.totalDocuments
      && bytesLoaded == other.bytesLoaded && totalBytes == other.totalBytes && state == other.state
  }

  /// A hash of the bytes that were loaded.
  public override var hash: Int { bytesLoaded.hashValue }
}

/// The loading of a bundle.
public final class LoadBundleTask: NSObject, Sendable {
  private struct State {
    var observers: [(handle: Int, callback: AppCallback<LoadBundleTaskProgress>)] = []
    var nextHandle = 1
    var last: LoadBundleTaskProgress?
  }

  private let queue: DispatchQueue
  private let state = Lock(State())

  init(queue: DispatchQueue) { self.queue = queue }

  /// Calls an observer with all unreported progress; at least with the last, also if it came
  /// before.
  @discardableResult
  public func addObserver(
    _ observer: @escaping (LoadBundleTaskProgress) -> Void
  ) -> LoadBundleObserverHandle {
    let callback = AppCallback(observer)
    let (handle, last) = state.withLock { state in
      defer { state.nextHandle += 1 }
      if state.last == nil { state.observers.append((state.nextHandle, callback)) }
      return (state.nextHandle, state.last)
    }
    if let last { queue.async { callback.call(last) } }
    return handle
  }

  /// Calls an observer no more.
  public func removeObserverWith(handle: LoadBundleObserverHandle) {
    state.withLock { $0.observers.removeAll { $0.handle == handle } }
  }

  /// Calls no observer any more.
  public func removeAllObservers() { state.withLock { $0.observers = [] } }

  /// Reports the progress of loading to the current observers; an end comes last.
  func tell(_ progress: LoadBundleTaskProgress) {
    queue.async { [self] in
      let observers = state.withLock { state in
        let observers = state.observers
        if progress.state != .inProgress {
          state.last = progress
          state.observers = []
        }
        return observers
      }
      for observer in observers { observer.callback.call(progress) }
    }
  }
}
