import Access
import Authentication
import BaseStatus
import BaseText
import HTTPTypes
import ServiceModule

/// Looking at data as a user of an app.
///
///     POST /console/api/projects/{project}/view     a short token that reads what the rules let that uid read
struct ViewRoutes: Sendable {
  let environment: ConsoleEnvironment

  var routes: [HTTPRoute] {
    [
      .ofConsole(
        .post,
        "/console/api/projects/{project}/view",
        environment,
        performing: .viewAsUser,
        view
      )
    ]
  }

  @Sendable
  private func view(_ request: ServiceRequest) async throws -> ServiceResponse {
    let uid = try await ConsoleBody(request).required("uid")
    guard !uid.isEmpty, uid.utf16.count <= 128 else {
      throw ServiceError.invalidArgument("A uid must have 1 to 128 characters.")
    }
    let project = Text(request.parameters["project"] ?? "")
    let holder = try environment.access.consoleAdministrator(
      request.context,
      of: .project(project)
    )
    let token = try await environment.blocking { [environment] in
      let user = try environment.accounts.project(project).viewedBearer(
        Text(uid),
        lifetime: AdministratorSessions.lifetime
      )
      let credentials = request.headers[.authorization]?.split(separator: " ").last ?? ""
      return environment.administrators.makeViewToken(user, of: project, by: holder, credentials)
    }
    return .private(
      .object([
        "token": .string(token), "expiresIn": .number(String(AdministratorSessions.lifetime)),
      ])
    )
  }
}
