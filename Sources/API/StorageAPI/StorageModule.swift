import Access
import FirestoreModel
import HTTPTypes
import KeyValueStore
import ObjectStorage
import ServiceModule
import StorageWire

/// What the routes of Cloud Storage work with.
package struct StorageEnvironment: Sendable {
  package let storage: ObjectStorage
  package let access: AccessControl
  /// Do what waits for the disk.
  package let threads: EngineThreads
  /// Who may sign requests.
  package let signatures: SignatureVerifier
  /// Microseconds since 1970.
  package let clock: @Sendable () -> Int64

  /// Routes for that storage.
  package init(
    storage: ObjectStorage,
    access: AccessControl,
    threads: EngineThreads,
    signatures: SignatureVerifier,
    clock: @escaping @Sendable () -> Int64 = RequestClock.systemTime
  ) {
    self.storage = storage
    self.access = access
    self.threads = threads
    self.signatures = signatures
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
    module.routes += FirebaseRoutes(environment).routes + XMLRoutes(environment).routes
    module.tasks = [ServiceTask("storage") { await environment.storage.maintain() }]
    module.metrics = { environment.storage.figures }
    return module
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
