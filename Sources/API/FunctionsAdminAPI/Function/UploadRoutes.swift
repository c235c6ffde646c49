import BaseJSON
import BaseStatus
import FirestoreWire
import FunctionHost
import HTTPTypes
import ServiceModule

/// The way of a source to the server.
///
///     POST /v1, /v2/projects/{project}/locations/{location}/functions:generateUploadUrl
///     PUT  /v2/functions/uploads/{upload}?token=…     the archive
///
/// The URL carries what an upload takes, as Google's signed ones do: clients send no credentials with it.
struct UploadRoutes: FunctionsScoped {
  let environment: FunctionsAdminEnvironment

  private static let path = "/v2/functions/uploads/"

  var routes: [HTTPRoute] {
    FunctionForm.allCases.map(generation) + [receiving]
  }

  private func generation(_ form: FunctionForm) -> HTTPRoute {
    let root = "/\(form.rawValue)/projects/{project}/locations/{location}"
    return route(.post, root + "/functions:generateUploadUrl") { call in
      let uploads = call.host.uploads
      let project = call.project
      let ticket = try await environment.threads.run(on: .maintenance) {
        try uploads.issue(to: project)
      }
      let url = "\(environment.origin())\(Self.path)\(ticket.name)?token=\(ticket.token)"
      var members: [JSONValue.Member] = [.init("uploadUrl", .string(url))]
      if form == .v2 {
        members.append(
          .init(
            "storageSource",
            .object([
              "bucket": .string("gcf-v2-uploads-\(call.project)-\(call.parameter("location"))"),
              "object": .string("\(ticket.name).zip"),
            ])
          )
        )
      }
      return .object(members)
    }
  }

  private var receiving: HTTPRoute {
    var route = HTTPRoute(.put, RoutePattern(Self.path + "{upload}"), for: .administrators) {
      [environment] request in
      guard let host = environment.host else {
        throw ServiceError(
          .failedPrecondition,
          "Functions are off. Start the server with brasa serve --functions."
        )
      }
      let token = try QueryParameters(request.query).parameters.last { $0.name == "token" }?.value
      let ticket = SourceUploads.Ticket(
        name: request.parameters["upload"] ?? "",
        token: token ?? ""
      )
      try await host.uploads.receive(ticket, request.body)
      return ServiceResponse.text("")
    }
    // The host counts the bytes.
    route.takesStream = true
    return route
  }

  /// The name of the upload that a URL leads to; nil where it leads to none.
  static func name(ofURL url: String) -> String? {
    guard let start = url.firstRange(of: path)?.upperBound else { return nil }
    let name = url[start...].prefix { $0 != "?" && $0 != "/" }
    return name.isEmpty ? nil : String(name)
  }
}
