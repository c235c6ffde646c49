import Access
import BaseRuntime
import BaseStatus
import BaseText
import FunctionHost
import HTTPTypes
import ServiceModule

// Routes:
//   any  /{project}/REGION/{name}
//   any  /{project}/REGION/{name}/{path=**}
//   GET  /computeMetadata/v1/{path=**}
//   GET  /v1/projects/{project}/functions, functionLogs   see `FunctionRoutes`

extension ServiceModule {
  /// The functions of a host behind the port: those of HTTP and callable ones.
  package static func functions(
    _ host: FunctionHost,
    access: AccessControl,
    threads: EngineThreads
  ) -> ServiceModule {
    var module = functions(host, FunctionCalls(host: host, access: access, threads: threads))
    module.routes += FunctionRoutes(host: host, access: access, threads: threads).routes
    return module
  }

  /// Calls of functions by rewrites of sites, each with the path that the visitor asked for.
  package static func functionCalls(
    _ host: FunctionHost,
    access: AccessControl,
    threads: EngineThreads
  ) -> @Sendable (ServiceRequest, FunctionAddress) async throws -> ServiceResponse {
    let calls = FunctionCalls(host: host, access: access, threads: threads)
    return { try await calls.respond($0, by: $1) }
  }

  private static func functions(_ host: FunctionHost, _ calls: FunctionCalls) -> ServiceModule {
    var module = ServiceModule("functions")
    for region in FunctionRegions.all {
      for rest in ["", "/{path=**}"] {
        var route = HTTPRoute(
          HTTPRoute.everyMethod + [.head, .options],
          RoutePattern("/{project}/\(region)/{name}\(rest)"),
          for: .clients
        ) { try await calls.respond($0) }
        // Google's SDKs answer preflights themselves.
        route.decidesOrigins = true
        // `BodyRoom` counts what bodies take.
        route.takesStream = true
        // A project's name is none of the first segments of other services.
        route.yields = true
        module.routes.append(route)
      }
    }
    module.routes.append(InstanceMetadata.route)
    module.root = InstanceMetadata.root
    module.tasks = [ServiceTask("functions") { await host.run() }]
    return module
  }
}

/// The regions in the paths of functions, which are Google's.
package enum FunctionRegions {
  /// All regions in which Google runs functions.
  ///
  /// Each has routes of its own: `/{project}/{region}/{name}` would take objects' paths from Storage.
  package static let all = [
    "africa-south1", "asia-east1", "asia-east2", "asia-northeast1", "asia-northeast2",
    "asia-northeast3", "asia-south1", "asia-south2", "asia-southeast1", "asia-southeast2",
    "australia-southeast1", "australia-southeast2", "europe-central2", "europe-north1",
    "europe-southwest1", "europe-west1", "europe-west10", "europe-west12", "europe-west2",
    "europe-west3", "europe-west4", "europe-west6", "europe-west8", "europe-west9", "me-central1",
    "me-central2", "me-west1", "northamerica-northeast1", "northamerica-northeast2",
    "southamerica-east1", "southamerica-west1", "us-central1", "us-east1", "us-east4", "us-east5",
    "us-south1", "us-west1", "us-west2", "us-west3", "us-west4",
  ]
}
