import Access
import BaseRuntime
import BaseText
import HTTPTypes
import ObjectStorage
import ServiceModule
import StorageWire

/// The dependencies of the routes of Cloud Storage.
package final class StorageEnvironment: Sendable {
  /// The buckets and objects that the routes serve.
  package let storage: ObjectStorage
  /// Identifies callers and gives permits for buckets.
  package let access: AccessControl
  /// Do what waits for the disk.
  package let threads: EngineThreads
  /// Verifies signatures, and decides who may sign requests.
  package let signatures: SignatureVerifier
  /// Returns true if the email is a service account of the project; blocks.
  package let isServiceAccount: @Sendable (_ email: String, _ project: Text) -> Bool
  /// Microseconds since 1970.
  package let clock: @Sendable () -> Int64

  /// Routes for that storage.
  package init(
    storage: ObjectStorage,
    access: AccessControl,
    threads: EngineThreads,
    signatures: SignatureVerifier,
    isServiceAccount: @escaping @Sendable (_ email: String, _ project: Text) -> Bool,
    clock: @escaping @Sendable () -> Int64 = RequestClock.systemTime
  ) {
    self.storage = storage
    self.access = access
    self.threads = threads
    self.signatures = signatures
    self.isServiceAccount = isServiceAccount
    self.clock = clock
  }
}

extension ServiceModule {
  /// Cloud Storage: Google's JSON API, Firebase's dialect and the XML API.
  package static func storage(_ environment: StorageEnvironment) -> ServiceModule {
    var module = ServiceModule("storage")
    module.hosts = ["storage.googleapis.com", "www.googleapis.com", FirebaseRoutes.host]
    let routes = JSONRoutes(environment: environment).all
    module.routes = routes + BatchRoute(environment: environment, routes: routes).all
    let xml = XMLRoutes(environment)
    module.routes += FirebaseRoutes(environment).routes + xml.routes
    module.root = xml.root
    module.claims = { XMLRoutes.isSigned($0) }
    module.tasks = [
      ServiceTask("storage") { await environment.storage.maintain() },
      ServiceTask("multipart uploads") { await abortStaleUploads(xml, environment) },
    ]
    module.metrics = { environment.storage.figures }
    return module
  }
}

/// Applies the lifecycle rules for multipart uploads now and every hour, until the task is
/// cancelled.
private func abortStaleUploads(_ routes: XMLRoutes, _ environment: StorageEnvironment) async {
  while !Task.isCancelled {
    do {
      try await routes.abortStaleUploads(now: environment.clock())
    } catch is CancellationError {
      return
    } catch {
      environment.storage.configuration.errorObserver(error)
    }
    do { try await Task.sleep(for: .seconds(3_600)) } catch { return }
  }
}

extension FirebaseRoutes {
  fileprivate init(_ environment: StorageEnvironment) {
    self.init(
      storage: environment.storage,
      access: environment.access,
      threads: environment.threads
    )
  }
}

extension XMLRoutes {
  fileprivate init(_ environment: StorageEnvironment) {
    let clock = environment.clock
    self.init(
      storage: environment.storage,
      access: environment.access,
      threads: environment.threads,
      signatures: StorageSignatures(
        access: environment.access,
        verifier: environment.signatures,
        clock: { clock() / 1_000_000 }
      )
    )
  }
}
