import Access
import BaseJSON
import BaseStatus
import BaseText
import HTTPTypes
import ServiceModule

/// The questions that command lines ask before a deployment: enabled APIs, permissions, policies, billing.
///
///     GET  /v1/projects/{project}/services/{name}
///     POST /v1/projects/{project}/services/{name}:enable
///     POST /v1beta1/projects/{project}/services/{name}:generateServiceIdentity
///     POST /v1/projects/{project}/serviceAccounts/{account}:testIamPermissions
///     GET  /v1/projects/{project}/billingInfo
///     POST /v1/projects/{project}:testIamPermissions, :getIamPolicy, :setIamPolicy
struct ServiceRoutes: ProjectScoped {
  let environment: ManagementEnvironment

  var routes: [HTTPRoute] {
    [
      route(.get, "/v1/projects/{project}/services/{name}") { call in
        let name = call.request.parameters["name"] ?? ""
        return .value(
          try Self.service(name, isEnabled: Self.isServed(name), of: call)
        )
      },
      route(.post, "/v1/projects/{project}/services/{name}:enable") { call in
        let name = call.request.parameters["name"] ?? ""
        guard Self.isServed(name) else {
          throw ServiceError(
            .failedPrecondition,
            "Brasa has no \(name.prefix(100)), so the service can't be enabled."
          )
        }
        let service = try Self.service(name, isEnabled: true, of: call)
        return .object([
          .init("name", .string("operations/noop.DONE_OPERATION")), .init("done", .boolean(true)),
          .init("response", .object(["service": service])),
        ])
      }.onlyReading(),
      route(.post, "/v1beta1/projects/{project}/services/{name}:generateServiceIdentity") { call in
        // There are no agents of services, and none are needed.
        .object([
          .init("name", .string("operations/noop.DONE_OPERATION")), .init("done", .boolean(true)),
          .init("response", .object([])),
        ])
      }.onlyReading(),
      // Functions run as the project's, so who deploys needs no right to an account.
      route(.post, "/v1/projects/{project}/serviceAccounts/{account}:testIamPermissions") {
        try Self.permissions($0)
      }.onlyReading(),
      route(.get, "/v1/projects/{project}/billingInfo") { call in
        let project = try call.project().string
        // Nothing costs here, so nothing is held back for want of an account.
        return .object([
          .init("name", .string("projects/\(project)/billingInfo")),
          .init("projectId", .string(project)), .init("billingAccountName", .string("")),
          .init("billingEnabled", .boolean(true)),
        ])
      },
      route(.post, "/v1/projects/{project}:testIamPermissions") { try Self.permissions($0) }
        .onlyReading(),
      route(.post, "/v1/projects/{project}:getIamPolicy") { _ in .value(Self.policy([])) }
        .onlyReading(),
      route(.post, "/v1/projects/{project}:setIamPolicy", takes: .changeAdministrators) { call in
        try Self.setPolicy(call)
      },
    ]
  }

  private static func service(
    _ name: String,
    isEnabled: Bool,
    of call: ManagementCall
  ) throws -> JSONValue {
    let number = call.environment.numbers.number(try call.project())
    return .object([
      "name": .string("projects/\(number)/services/\(name)"),
      "parent": .string("projects/\(number)"),
      "state": .string(isEnabled ? "ENABLED" : "DISABLED"),
    ])
  }

  /// True for the APIs that Brasa is, those of which nothing is needed here, and the names by which clients reach the
  /// server: a redirected command line asks for its host.
  private static func isServed(_ name: String) -> Bool {
    guard name.hasSuffix(".googleapis.com") else {
      return HostName(ofAuthority: name) != nil
    }
    return names.contains(String(name.dropLast(".googleapis.com".count)))
  }

  private static let names: Set<String> = [
    "cloudresourcemanager", "fcm", "firebase", "firebasehosting", "firebaseinstallations",
    "firebaseremoteconfig", "firebaseremoteconfigrealtime", "firebaserules", "firebasestorage",
    "firestore", "iam", "iamcredentials", "identitytoolkit", "securetoken", "serviceusage",
    "storage", "storage-api", "storage-component",
    // Those of functions: what builds, keeps and starts them.
    "artifactregistry", "cloudbuild", "cloudfunctions", "cloudscheduler", "cloudtasks", "compute",
    "eventarc", "pubsub", "run", "runtimeconfig", "secretmanager",
  ]

  // MARK: Permissions

  /// The permissions, of those that the body names, that the caller's role has.
  private static func permissions(_ call: ManagementCall) throws -> ServiceResponse {
    let project = try call.project()
    guard let asked = try call.body()["permissions"]?.elements, asked.count <= 1_000 else {
      throw ServiceError.invalidArgument("permissions must list at most 1000 permissions.")
    }
    let access = call.environment.access
    var allowed: [AdministratorRole: Bool] = [:]
    let held = asked.filter { permission in
      guard let name = permission.string else { return false }
      let role = role(of: name)
      if let known = allowed[role] { return known }
      let context = call.request.context.demanding(role, isRecent: false)
      let caller = try? access.identify(context)
      let may = caller.map { (try? access.requireAdministration($0, of: project)) != nil } ?? false
      allowed[role] = may
      return may
    }
    return .object(held.isEmpty ? [] : [.init("permissions", .array(held))])
  }

  /// The least role whose holders have a permission of Google's.
  private static func role(of permission: String) -> AdministratorRole {
    let verb = permission.split(separator: ".").last ?? ""
    // A deployment of functions also says that they may be called.
    let deploying: Set<String> = [
      "cloudfunctions.functions.setIamPolicy", "run.services.setIamPolicy",
      "iam.serviceAccounts.actAs",
    ]
    if deploying.contains(permission) { return .editor }
    if permission.hasPrefix("iam.") || verb == "setIamPolicy" { return .owner }
    let isReading = ["get", "list", "getIamPolicy", "fetchStaticContent"].contains(verb)
    return isReading ? .viewer : .editor
  }

  private static func policy(_ bindings: [JSONValue]) -> JSONValue {
    .object(["version": .integer(1), "etag": .string("BwAAAAAAAAA="), "bindings": .array(bindings)])
  }

  /// Accepts policies that give rights only to Google's own agents, which do not exist here.
  private static func setPolicy(_ call: ManagementCall) throws -> ServiceResponse {
    let bindings = try call.body()["policy"]?["bindings"]?.elements ?? []
    for member in bindings.flatMap({ $0["members"]?.elements ?? [] }) {
      let name = member.string ?? ""
      guard name.hasPrefix("serviceAccount:"), name.hasSuffix(".gserviceaccount.com") else {
        throw ServiceError(
          .failedPrecondition,
          "Policies don't assign roles to people. Use brasa console invite."
        )
      }
    }
    return .value(policy(bindings))
  }
}
