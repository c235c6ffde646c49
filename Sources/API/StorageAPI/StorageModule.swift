import Access
import FirestoreModel
import HTTPTypes
import KeyValueStore
import ObjectStorage
import ServiceModule

/// What the routes of Cloud Storage work with.
package struct StorageEnvironment: Sendable {
  package let storage: ObjectStorage
  package let access: AccessControl
  /// Do what waits for the disk.
  package let threads: EngineThreads

  /// Routes for that storage.
  package init(storage: ObjectStorage, access: AccessControl, threads: EngineThreads) {
    self.storage = storage
    self.access = access
    self.threads = threads
  }
}

extension ServiceModule {
  /// Cloud Storage: Google's JSON API.
  package static func storage(_ environment: StorageEnvironment) -> ServiceModule {
    var module = ServiceModule("storage")
    module.hosts = ["storage.googleapis.com", "www.googleapis.com"]
    let routes = JSONRoutes(environment: environment).all
    module.routes = routes + BatchRoute(environment: environment, routes: routes).all
    module.tasks = [ServiceTask("storage") { await environment.storage.maintain() }]
    module.metrics = { environment.storage.figures }
    return module
  }
}
