import Access
import BaseStatus
import HTTPTypes
import ServiceModule

/// The part of Google's metadata server that libraries ask for their credentials.
///
/// The token is a constant: it is valid only at an instance's own listener, and its connections
/// have the rights of their project for every request.
enum InstanceMetadata {
  static let token = "ya29.instance"

  static let route = HTTPRoute(.get, "/computeMetadata/v1/{path=**}", for: .administrators) {
    request in
    let project = try project(of: request)
    switch request.rest.filter({ !$0.isEmpty }).joined(separator: "/") {
    case "project/project-id": return text(project)
    case "universe/universe-domain", "universe/universe_domain": return text("googleapis.com")
    case "instance/service-accounts/default/token":
      return json("{\"access_token\":\"\(token)\",\"expires_in\":3600,\"token_type\":\"Bearer\"}")
    case "instance/service-accounts/default", "instance/service-accounts/default/email":
      guard request.query?.contains("recursive=true") == true else {
        return text("functions@\(project).iam.gserviceaccount.com")
      }
      return json(
        "{\"aliases\":[\"default\"],\"email\":\"functions@\(project).iam.gserviceaccount.com\",\"scopes\":[]}"
      )
    default: throw ServiceError(.notFound, "The metadata has no such entry.")
    }
  }

  /// Answers whether there is a metadata server.
  static let root = RootRoute(
    HTTPRoute(.get, "/", for: .administrators) { _ in text("computeMetadata/\n") },
    accepts: { request in
      request.headers[metadataFlavor] == "Google" && request.context.functionProject != nil
    }
  )

  private static func project(of request: ServiceRequest) throws -> String {
    guard let project = request.context.functionProject else {
      throw ServiceError(.notFound, "Only instances of functions have metadata.")
    }
    return project.string
  }

  private static func text(_ text: String) -> ServiceResponse {
    var response = ServiceResponse.text(text)
    response.headers[metadataFlavor] = "Google"
    return response
  }

  private static func json(_ text: String) -> ServiceResponse {
    var response = ServiceResponse.json(Array(text.utf8))
    response.headers[.contentType] = "application/json"
    response.headers[metadataFlavor] = "Google"
    return response
  }

  private static let metadataFlavor = {
    guard let name = HTTPField.Name("metadata-flavor") else { preconditionFailure("no field name") }
    return name
  }()
}
