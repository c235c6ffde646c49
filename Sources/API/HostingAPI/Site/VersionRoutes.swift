import Access
import BaseJSON
import BaseStatus
import BaseText
import FirestoreWire
import HTTPTypes
import Hosting
import ServiceModule

/// Versions and the upload of their files.
///
///     GET, POST            …/sites/{site}/versions
///     POST                 …/sites/{site}/versions:clone
///     GET, PATCH, DELETE   …/sites/{site}/versions/{version}
///     POST                 …/sites/{site}/versions/{version}:populateFiles
///     GET                  …/sites/{site}/versions/{version}/files
///     POST                 /upload/sites/{site}/versions/{version}/files/{hash}
struct VersionRoutes: SiteScoped {
  let environment: HostingEnvironment

  var routes: [HTTPRoute] {
    siteRoutes(.get, "/versions") { call in
      let site = try call.shown()
      let all = try call.hosting.versions(of: site.name)
      return try call.page("versions", of: all.map { try call.json($0) })
    }
      + siteRoutes(.post, "/versions") { try Self.create($0) }
      + siteRoutes(.post, "/versions:clone") { try Self.clone($0) }
      + siteRoutes(.get, "/versions/{version}") { call in
        let site = try call.named()
        return try call.json(try call.hosting.version(call.parameter("version"), of: site.name))
      }
      + siteRoutes(.patch, "/versions/{version}") { try Self.update($0) }
      + siteRoutes(.delete, "/versions/{version}") { call in
        let site = try call.named()
        try call.hosting.deleteVersion(call.parameter("version"), of: site.name)
        return .object([])
      }
      + siteRoutes(.post, "/versions/{version}:populateFiles") { try Self.populate($0) }
      + siteRoutes(.get, "/versions/{version}/files") { try Self.files($0) }
      + [upload]
  }

  private static func create(_ call: HostingCall) throws -> JSONValue {
    let site =
      try call.site
      ?? call.hosting.siteToDeploy(call.parameter("site"), of: call.project.string)
    let body = try call.body()
    if let status = body["status"]?.string, status != "CREATED" {
      throw ServiceError.invalidArgument("A version begins as CREATED.")
    }
    let labels = (body["labels"]?.members ?? []).prefix(64).compactMap { member in
      member.value.string.map { (String(member.key.prefix(100)), String($0.prefix(500))) }
    }
    let version = try call.hosting.createVersion(
      of: site.name,
      config: body["config"] ?? .object([]),
      labels: Dictionary(labels, uniquingKeysWith: { $1 }),
      author: call.author
    )
    return try call.json(version, of: site)
  }

  private static func update(_ call: HostingCall) throws -> JSONValue {
    let site = try call.named()
    let body = try call.body()
    let mask = try call.query("updateMask").map { Set($0.split(separator: ",").map(String.init)) }
    let takes = { (name: String) in mask?.contains(name) ?? true }
    var status: HostedVersion.Status?
    if takes("status"), let text = body["status"]?.string {
      guard let named = HostedVersion.Status(rawValue: text) else {
        throw ServiceError.invalidArgument("There is no status \(text.prefix(40)).")
      }
      status = named
      call.note("set status \(named.rawValue)")
    }
    return try call.json(
      try call.hosting.update(
        call.parameter("version"),
        of: site.name,
        status: status,
        config: takes("config") ? body["config"] : nil
      )
    )
  }

  private static func populate(_ call: HostingCall) throws -> JSONValue {
    let site = try call.named()
    let members = try call.body()["files"]?.members ?? []
    guard members.count <= 10_000 else {
      throw ServiceError.invalidArgument("A call can name at most 10000 files.")
    }
    let files = try members.map { member in
      guard let hash = member.value.string.flatMap({ ContentHash(hexadecimal: $0) }) else {
        throw ServiceError.invalidArgument(
          "The file \(member.key.prefix(100)) has no SHA-256 of its gzip form."
        )
      }
      return (path: member.key, hash: hash)
    }
    let version = call.parameter("version")
    let missing = try call.hosting.populate(version, of: site.name, with: files)
    let root = "\(call.environment.origin())/upload/sites/\(site.name)/versions/\(version)/files"
    return .object([
      "uploadRequiredHashes": .array(missing.map { .string($0.text) }),
      "uploadUrl": .string(root),
    ])
  }

  private static func files(_ call: HostingCall) throws -> JSONValue {
    let site = try call.named()
    let version = try call.hosting.version(call.parameter("version"), of: site.name)
    let all = try call.hosting.files(of: version).map { path, file in
      JSONValue.object([
        "path": .string(path), "hash": .string(file.hash.text), "status": .string("ACTIVE"),
      ])
    }
    return try call.page("files", of: all)
  }

  private static func clone(_ call: HostingCall) throws -> JSONValue {
    let site = try call.named()
    let body = try call.body()
    let name = (body["sourceVersion"]?.string ?? "").split(separator: "/").map(String.init)
    guard let place = name.firstIndex(of: "sites"), name.count == place + 4,
      name[place + 2] == "versions"
    else {
      throw ServiceError.invalidArgument("sourceVersion must be sites/SITE/versions/VERSION.")
    }
    let source = name[place + 1]
    call.note("clone version \(name[place + 3]) of \(source)")
    guard let original = try call.hosting.site(source) else { throw HostingCall.noSite(source) }
    // A copy reads its source, which needs a role in the source's project.
    let access = call.environment.access
    try access.requireAdministration(
      try access.identify(call.request.context),
      of: Text(original.project)
    )
    let made = try call.hosting.clone(
      name[place + 3],
      of: source,
      to: site.name,
      finalizing: body["finalize"]?.boolean ?? false,
      author: call.author
    )
    return .object([
      "name": .string("projects/\(site.project)/operations/noop.DONE_OPERATION"),
      "done": .boolean(true), "response": try call.json(made),
    ])
  }

  private var upload: HTTPRoute {
    var route = HTTPRoute(
      .post,
      "/upload/sites/{site}/versions/{version}/files/{hash}",
      for: .administrators
    ) { [environment] request in
      let call = try await environment.threads.run(on: .maintenance) {
        try Self.admit(request, [], nil, environment)
      }
      let site = try call.named()
      guard let hash = ContentHash(hexadecimal: call.parameter("hash")) else {
        throw ServiceError.invalidArgument("The path must end with the SHA-256 of the gzip form.")
      }
      try await environment.hosting.upload(
        hash,
        for: call.parameter("version"),
        of: site.name,
        request.body
      )
      return .json(Array("{}".utf8))
    }
    route.takesStream = true
    return route
  }
}

extension HostingCall {
  func json(_ version: HostedVersion, of site: HostedSite? = nil) throws -> JSONValue {
    let site = try site ?? named()
    var members: [JSONValue.Member] = [
      .init("name", .string("projects/\(site.project)/sites/\(site.name)/versions/\(version.id)")),
      .init("status", .string(version.status.rawValue)),
      .init("config", (try? JSONValue(parsing: version.config)) ?? .object([])),
      .init(
        "labels",
        .object(
          version.labels.sorted { $0.key < $1.key }.map {
            .init($0.key, .string($0.value))
          }
        )
      ),
      .init("createTime", .string(Self.time(version.createdAt))),
      .init("createUser", .object(["email": .string(version.author)])),
    ]
    if let time = version.finalizedAt {
      members += [
        .init("finalizeTime", .string(Self.time(time))),
        .init("fileCount", .string("\(version.fileCount)")),
        .init("versionBytes", .string("\(version.byteCount)")),
      ]
    }
    return .object(members)
  }

  static func time(_ microseconds: Int64) -> String {
    TimestampText.format(
      seconds: microseconds / 1_000_000,
      nanos: Int32(microseconds % 1_000_000) * 1_000
    )
  }
}
