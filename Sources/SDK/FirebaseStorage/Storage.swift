import FirebaseCore
import Foundation
import Locking

/// The files of an app in one bucket.
///
/// May be used from any thread; callbacks and observers come on ``callbackQueue``.
public final class Storage: NSObject, FirebaseComponent, Sendable {
  private struct State {
    var maxUploadRetryTime: TimeInterval = 600
    var maxDownloadRetryTime: TimeInterval = 600
    var maxOperationRetryTime: TimeInterval = 120
    var uploadChunkSizeBytes = Int64.max
    var callbackQueue = DispatchQueue.main
    var address: ServiceAddress?
    /// True if there is a reference: the server cannot be changed after that.
    var isUsed = false
    /// The tasks that have not ended.
    var tasks: [ObjectIdentifier: StorageTask] = [:]
  }

  /// The app.
  public let app: FirebaseApp
  private let bucket: String
  private let clock: StorageClock
  /// The most bytes of a request or a response, which is what a transfer holds in memory.
  let sliceBytes: Int64
  private let state: Lock<State>

  /// The files of an app in a bucket, with a clock and the most bytes of a request or a response.
  package init(
    app: FirebaseApp,
    bucket: String,
    clock: StorageClock = .system,
    sliceBytes: Int64 = 8 << 20
  ) {
    self.app = app
    self.bucket = bucket
    self.clock = clock
    self.sliceBytes = sliceBytes
    var state = State()
    state.address = app.options.address(of: .storage)
    self.state = Lock(state)
  }

  /// The default app's files in its bucket; traps before the app is configured.
  public static func storage() -> Storage { storage(app: defaultApp) }

  /// The default app's files in the bucket of a URL `gs://bucket`.
  public static func storage(url: String) -> Storage { storage(app: defaultApp, url: url) }

  /// An app's files in its bucket; traps where its options name none.
  public static func storage(app: FirebaseApp) -> Storage {
    guard let bucket = app.options.storageBucket, !bucket.isEmpty else {
      fatalError(
        "No default Storage bucket found. Did you configure Firebase Storage properly? The options have no "
          + "storageBucket."
      )
    }
    return storage(app: app, bucket: bucket)
  }

  /// An app's files in the bucket of a URL `gs://bucket`; traps on any other URL.
  ///
  /// ``configured(app:url:)`` throws instead.
  public static func storage(app: FirebaseApp, url: String) -> Storage {
    do throws(StorageError) {
      return try storage(app: app, bucket: bucket(ofURL: url))
    } catch {
      fatalError(error.localizedDescription)
    }
  }

  /// An app's files; throws where ``storage(app:url:)`` and its variants trap.
  ///
  /// Without an app it is the default one, without a URL the bucket is the app's own.
  public static func configured(app: FirebaseApp? = nil, url: String? = nil) throws -> Storage {
    guard let app = app ?? FirebaseApp.app() else {
      throw StorageError.invalidArgument(
        message: "The default app is not configured. Call FirebaseApp.configure() first."
      ).object
    }
    do throws(StorageError) {
      if let url { return try storage(app: app, bucket: bucket(ofURL: url)) }
    } catch {
      throw error.object
    }
    guard let bucket = app.options.storageBucket, !bucket.isEmpty else {
      throw StorageError.invalidArgument(message: "The app's options name no storageBucket.").object
    }
    return storage(app: app, bucket: bucket)
  }

  private static func bucket(ofURL url: String) throws(StorageError) -> String {
    let path = try StoragePath(url)
    guard path.object.isEmpty else {
      throw .invalidArgument(
        message:
          "The URL \(url) must name a bucket, not an object. Use reference(forURL:) for objects."
      )
    }
    return path.bucket
  }

  private static var defaultApp: FirebaseApp {
    guard let app = FirebaseApp.app() else {
      fatalError(
        "The default FirebaseApp instance must be configured before the default Storage instance can be "
          + "initialized. Call FirebaseApp.configure() first."
      )
    }
    return app
  }

  private static func storage(app: FirebaseApp, bucket: String) -> Storage {
    app.component("FirebaseStorage \(bucket)") { Storage(app: app, bucket: bucket) }
  }

  /// The same files: there is one object for an app and a bucket.
  public override func copy() -> Any { self }

  /// True for the files of the same app and bucket.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? Storage else { return false }
    return other.app === app && other.bucket == bucket
  }

  /// A hash of the app and the bucket.
  public override var hash: Int {
    var hasher = Hasher()
    hasher.combine(ObjectIdentifier(app))
    hasher.combine(bucket)
    return hasher.finalize()
  }

  /// The app's name and the bucket.
  public override var description: String { "Storage \(app.name): gs://\(bucket)" }

  /// Cancels all tasks.
  package func appWasDeleted() {
    let tasks = state.withLock { Array($0.tasks.values) }
    for task in tasks { task.abort() }
  }

  // MARK: Settings

  /// The number of seconds for which an upload is retried while nothing of it arrives.
  public var maxUploadRetryTime: TimeInterval {
    get { state.withLock { $0.maxUploadRetryTime } }
    set { state.withLock { $0.maxUploadRetryTime = newValue } }
  }

  /// The number of seconds for which a download is retried while nothing of it arrives.
  public var maxDownloadRetryTime: TimeInterval {
    get { state.withLock { $0.maxDownloadRetryTime } }
    set { state.withLock { $0.maxDownloadRetryTime = newValue } }
  }

  /// The number of seconds for which everything else is retried.
  public var maxOperationRetryTime: TimeInterval {
    get { state.withLock { $0.maxOperationRetryTime } }
    set { state.withLock { $0.maxOperationRetryTime = newValue } }
  }

  /// The most bytes of an upload's request, rounded to what the server takes; never more than 8 MB.
  public var uploadChunkSizeBytes: Int64 {
    get { state.withLock { $0.uploadChunkSizeBytes } }
    set { state.withLock { $0.uploadChunkSizeBytes = newValue } }
  }

  /// The queue on which callbacks and observers are called: a serial queue, the main one unless
  /// set.
  public var callbackQueue: DispatchQueue {
    get { state.withLock { $0.callbackQueue } }
    set { state.withLock { $0.callbackQueue = newValue } }
  }

  /// Uses another server, in plain text; traps once there is a reference.
  public func useEmulator(withHost host: String, port: Int) {
    precondition(!host.isEmpty, "Invalid host argument: Cannot connect to empty host.")
    precondition(port >= 0, "Invalid port argument: Port must be greater or equal to zero.")
    state.withLock { state in
      precondition(
        !state.isUsed,
        "Cannot connect to emulator after Storage SDK initialization. Call useEmulator(host:port:) before "
          + "creating a Storage reference or trying to load data."
      )
      let name = host.trimmingCharacters(in: ["[", "]"])
      state.address = ServiceAddress(host: name, port: port, isSecure: false)
    }
  }

  /// The server for this bucket.
  var backend: StorageBackend {
    let address = state.withLock { $0.address }
    return StorageBackend(
      app: app,
      base: address?.url ?? "https://firebasestorage.googleapis.com",
      bucket: bucket,
      clock: clock
    )
  }

  // MARK: References

  /// The bucket itself.
  public func reference() -> StorageReference { reference(withPath: "") }

  /// The object of a path.
  public func reference(withPath path: String) -> StorageReference {
    state.withLock { $0.isUsed = true }
    return StorageReference(self, StoragePath(bucket: bucket, object: path))
  }

  /// The object of a URL of this bucket: `gs://…` or a download URL; traps on every other one.
  ///
  /// ``reference(for:)`` throws instead.
  public func reference(forURL url: String) -> StorageReference {
    do throws(StorageError) {
      return try reference(ofURL: url)
    } catch {
      fatalError(error.localizedDescription)
    }
  }

  /// The object of a URL of this bucket: `gs://…` or a download URL.
  public func reference(for url: URL) throws -> StorageReference {
    do throws(StorageError) {
      return try reference(ofURL: url.absoluteString)
    } catch {
      throw error.object
    }
  }

  private func reference(ofURL url: String) throws(StorageError) -> StorageReference {
    let path = try StoragePath(url)
    guard path.bucket == bucket else {
      throw .bucketMismatch(
        message:
          "Provided bucket: `\(path.bucket)` does not match the Storage bucket of the current "
          + "instance: `\(bucket)`"
      )
    }
    return reference(withPath: path.object)
  }

  // MARK: Tasks

  /// Keeps a task until it has ended.
  func keep(_ task: StorageTask) { state.withLock { $0.tasks[ObjectIdentifier(task)] = task } }

  /// Lets go of a task that has ended.
  func release(_ task: StorageTask) {
    _ = state.withLock { $0.tasks.removeValue(forKey: ObjectIdentifier(task)) }
  }
}
