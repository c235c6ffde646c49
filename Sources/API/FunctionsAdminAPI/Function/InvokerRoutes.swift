import BaseJSON
import BaseStatus
import FunctionHost
import HTTPTypes
import ServiceModule

/// Policies that say who may call a function, of Cloud Functions and of the Cloud Run service of the same name.
///
///     GET   /v1/projects/{project}/locations/{location}/functions/{function}:getIamPolicy, /services/{function}:getIamPolicy
///     POST  …:setIamPolicy
///     GET   /v1/projects/{project}/locations/{location}/services/{function}
///
/// A function's source decides who may call it. So a policy is accepted that says the same, and others are refused.
struct InvokerRoutes: FunctionsScoped {
  let environment: FunctionsAdminEnvironment

  private static let everybody = "allUsers"

  var routes: [HTTPRoute] {
    let root = "/v1/projects/{project}/locations/{location}"
    let service = route(.get, root + "/services/{function}") { call in
      Self.service(try await call.named(), call)
    }
    let policies = [("functions", "cloudfunctions"), ("services", "run")].flatMap { pair in
      let (collection, prefix) = pair
      let path = "\(root)/\(collection)/{function}"
      let role = "roles/\(prefix).invoker"
      return [
        route(.get, path + ":getIamPolicy") { Self.policy(try await $0.named(), role) },
        route(.post, path + ":setIamPolicy") { call in
          let function = try await call.named()
          try Self.check(try call.body(), function, role)
          return Self.policy(function, role)
        },
      ]
    }
    return policies + [service]
  }

  /// Returns true for functions that every caller may call.
  private static func isPublic(_ function: DeployedFunction) -> Bool {
    switch function.endpoint.trigger {
    // Google's clients have blocking functions public, too; here the server alone calls them.
    case .http: !function.endpoint.isPrivate
    case .callable, .blocking: true
    case .event, .schedule, .taskQueue: false
    }
  }

  private static func policy(_ function: DeployedFunction, _ role: String) -> JSONValue {
    let binding = JSONValue.object([
      "role": .string(role), "members": .array([.string(everybody)]),
    ])
    return .object([
      "version": .integer(1), "etag": .string("BwAAAAAAAAA="),
      "bindings": .array(isPublic(function) ? [binding] : []),
    ])
  }

  private static func check(
    _ body: JSONValue,
    _ function: DeployedFunction,
    _ role: String
  ) throws {
    let bindings = body["policy"]?["bindings"]?.elements ?? []
    let members = bindings.filter { $0["role"]?.string == role }
      .flatMap { $0["members"]?.elements ?? [] }.compactMap(\.string)
    let agents = members.filter { $0 != everybody }
    let areAgents = agents.allSatisfy {
      $0.hasPrefix("serviceAccount:") && $0.hasSuffix("gserviceaccount.com")
    }
    guard members.contains(everybody) == isPublic(function), areAgents else {
      let isOpen = isPublic(function)
      let audience =
        isOpen
        ? "by everybody"
        : function.endpoint.isPrivate
          ? "only by administrators of the project" : "only by the server"
      throw ServiceError(
        .failedPrecondition,
        "\(function.endpoint.name) is called \(audience): its source code sets this. Change it there."
      )
    }
  }

  /// The little of a Cloud Run service that clients compare.
  private static func service(_ function: DeployedFunction, _ call: FunctionsCall) -> JSONValue {
    let endpoint = function.endpoint
    let limits = JSONValue.object([
      "cpu": .string("1"), "memory": .string("\(endpoint.memoryMegabytes)Mi"),
    ])
    return .object([
      "apiVersion": .string("serving.knative.dev/v1"), "kind": .string("Service"),
      "metadata": .object([
        "name": .string(endpoint.name), "namespace": .string(call.project),
        "labels": .object(["cloud.googleapis.com/location": .string(function.region)]),
      ]),
      "spec": .object([
        "template": .object([
          "metadata": .object([]),
          "spec": .object([
            "containerConcurrency": .integer(endpoint.concurrency),
            "containers": .array([.object(["resources": .object(["limits": limits])])]),
          ]),
        ])
      ]),
    ])
  }
}
