import Access
import Authentication
import BaseRuntime
import BaseText
import Events
import Foundation
import KeyValueStore
import Logging
import ObjectStorage
import Outbound
import ServiceLifecycle
import ServiceModule
import StorageAPI
import StorageWire

/// Cloud Storage's buckets and objects on a data directory: their bytes are below `files/`, or on a server of S3.
struct FileServices {
  let storage: ObjectStorage
  /// The bytes of objects that the engine has not.
  let blobs: any BlobStore
  /// Nil where the bytes are below the data directory.
  private let remote: S3BlobStore?

  /// Storage of a directory that is open.
  init(
    _ directory: OpenDataDirectory,
    engine: (any KeyValueEngine)? = nil,
    threads: EngineThreads,
    settings: FileSettings,
    openFiles: Int,
    configuration: StorageConfiguration = StorageConfiguration()
  ) throws {
    remote = try settings.s3.map { try S3BlobStore(Self.configuration($0)) }
    var configuration = configuration
    // A server of S3 has all bytes: who chose it wants none of them in the data directory.
    if remote != nil { configuration.engineContentBytes = nil }
    blobs =
      try remote
      ?? LocalBlobStore(
        directory: directory.path + "/files",
        threads: threads,
        openFiles: openFiles
      )
    storage = ObjectStorage(
      engine: engine ?? directory.engine,
      blobs: blobs,
      threads: threads,
      configuration: configuration
    )
  }

  /// Storage of a server.
  init(
    _ directory: OpenDataDirectory,
    engine: any KeyValueEngine,
    threads: EngineThreads,
    settings: ServeSettings,
    openFiles: Int,
    tap: EventTap
  ) throws {
    let log = Logger(label: "storage")
    var configuration = StorageConfiguration()
    configuration.makesBuckets = settings.isDevelopment
    configuration.project = settings.project.map { Text($0) }
    configuration.projectQuotaBytes = settings.files.projectQuota
    configuration.memoryBytes = directory.fileMemoryBytes
    configuration.follower = tap.objectFollower(origin: settings.origin)
    configuration.errorObserver = { error in
      log.error("maintenance failed", metadata: ["error": "\(error)"])
    }
    try self.init(
      directory,
      engine: engine,
      threads: threads,
      settings: settings.files,
      openFiles: openFiles,
      configuration: configuration
    )
  }

  /// Storage of a directory at rest, for commands, which have the settings from the environment.
  init(
    _ directory: OpenDataDirectory,
    threads: EngineThreads,
    settings: FileSettings? = nil
  ) throws {
    let environment = EnvironmentReader(ProcessInfo.processInfo.environment)
    let settings = try settings ?? FileSettings(environment)
    try self.init(directory, threads: threads, settings: settings, openFiles: 16)
  }

  /// The bytes of objects of a directory that a restore makes, by the settings of the environment.
  static func blobs(
    of directory: String,
    threads: EngineThreads,
    settings: FileSettings? = nil
  ) throws -> any BlobStore {
    let settings =
      try settings ?? FileSettings(EnvironmentReader(ProcessInfo.processInfo.environment))
    if let s3 = settings.s3 { return try S3BlobStore(configuration(s3)) }
    return try LocalBlobStore(directory: directory + "/files", threads: threads, openFiles: 16)
  }

  /// The service that the server offers; requests may be signed by service accounts' keys.
  func module(
    access: AccessControl,
    accounts: Accounts,
    threads: EngineThreads
  ) -> ServiceModule {
    // Development has no accounts that could be asked for.
    let isKnown: @Sendable (String) -> Bool = {
      [isDevelopment = storage.configuration.makesBuckets] in
      isDevelopment || accounts.serviceAccounts.hasKey(of: $0)
    }
    let signatures = SignatureVerifier(
      // A secret is worth as much as the account in whose name it signs.
      secret: { [storage] id in
        guard let key = try storage.activeHMACKey(id), isKnown(key.account.string) else {
          return nil
        }
        return key.secret
      },
      keyID: { accounts.keyID(of: $0, $1, by: $2) },
      isInUse: { [storage] in
        switch $0 {
        case .secret(let secret, let id):
          guard let key = try? storage.activeHMACKeyInMemory(id) else { return false }
          return key.secret == secret && isKnown(key.account.string)
        case .account(let account, let keyID):
          return accounts.serviceAccounts.hasKey(keyID, of: account)
        case .foreign: return false
        }
      },
      takesForeign: { [storage] account in
        guard storage.configuration.makesBuckets else { return false }
        return try !accounts.serviceAccounts.hasKey(of: account) && !storage.hasHMACKey(account)
      }
    )
    return ServiceModule.storage(
      StorageEnvironment(
        storage: storage,
        access: access,
        threads: threads,
        signatures: signatures,
        isServiceAccount: { [isDevelopment = storage.configuration.makesBuckets] in
          isDevelopment || accounts.serviceAccounts.hasKey(of: $0, in: $1)
        }
      )
    )
  }

  /// Looks whether the key opens the bucket, which ends the start where it does not, rather than every request; nil where the bytes
  /// are below the data directory.
  var bucketCheck: ServiceTask? {
    guard let remote else { return nil }
    return ServiceTask("files' bucket") {
      let outcome = await Self.untilShutdown(of: remote)
      try await remote.shutdown()
      do {
        try outcome.get()
      } catch let error as StorageError {
        throw CommandFailure(Self.text(ofRefusedBucket: error))
      }
    }
  }

  /// The sentences for an operator whose bucket did not open: what the server of S3 said, and where to look.
  private static func text(ofRefusedBucket error: StorageError) -> String {
    var reason = error.cause.map { ": \($0)" } ?? ""
    while reason.hasSuffix(".") { reason.removeLast() }
    return switch error.code {
    case .notFound:
      "The S3 server does not have the bucket. Check BRASA_S3_BUCKET, or create the bucket."
    case .unavailable:
      "The S3 server does not respond\(reason). Check BRASA_S3_ENDPOINT."
    default: "The S3 server refuses the key\(reason). Check the BRASA_S3_… variables."
    }
  }

  /// Waits for the end of the check of the bucket: with an error at once, or well, and then with
  /// the program.
  private static func untilShutdown(of remote: S3BlobStore) async -> Result<Void, any Error> {
    do {
      try await remote.check()
      try await gracefulShutdown()
      return .success(())
    } catch {
      return .failure(error)
    }
  }

  static func configuration(_ settings: FileSettings.S3) -> S3Configuration {
    var configuration = S3Configuration(
      endpoint: settings.endpoint,
      region: settings.region,
      bucket: settings.bucket,
      prefix: settings.prefix,
      accessID: settings.accessID,
      secret: settings.secret,
      clock: RequestClock.systemTime
    )
    configuration.authorities = settings.authorities
    return configuration
  }
}
