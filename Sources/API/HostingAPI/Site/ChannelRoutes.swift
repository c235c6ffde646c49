import Access
import BaseJSON
import BaseStatus
import HTTPTypes
import Hosting
import ServiceModule

/// Channels and releases.
///
///     GET, POST            …/sites/{site}/channels                      (channelId)
///     GET, PATCH, DELETE   …/sites/{site}/channels/{channel}
///     GET, POST            …/sites/{site}/channels/{channel}/releases   (versionName)
///     GET, POST            …/sites/{site}/releases                      those of the live channel
struct ChannelRoutes: SiteScoped {
  let environment: HostingEnvironment

  var routes: [HTTPRoute] {
    siteRoutes(.get, "/channels") { call in
      let site = try call.shown()
      let all = call.site == nil ? [] : try call.hosting.channels(of: site.name)
      return try call.page("channels", of: all.map { try call.json($0, of: site) })
    }
      + siteRoutes(.post, "/channels") { try Self.create($0) }
      + siteRoutes(.get, "/channels/{channel}") { call in
        let site = try call.named()
        let channel = try call.hosting.channel(call.parameter("channel"), of: site.name)
        return try call.json(channel, of: site)
      }
      + siteRoutes(.patch, "/channels/{channel}") { call in
        let site = try call.named()
        let id = call.parameter("channel")
        guard let life = try Self.life(try call.body()) else {
          return try call.json(try call.hosting.channel(id, of: site.name), of: site)
        }
        call.note("extend channel \(id) by \(life) s")
        let channel = try call.hosting.extendChannel(id, of: site.name, life: life)
        return try call.json(channel, of: site)
      }
      + siteRoutes(.delete, "/channels/{channel}") { call in
        let site = try call.named()
        try call.hosting.deleteChannel(call.parameter("channel"), of: site.name)
        return .object([])
      } + releases("/channels/{channel}/releases") + releases("/releases")
  }

  private func releases(_ path: String) -> [HTTPRoute] {
    siteRoutes(.get, path) { call in
      let site = try call.shown()
      let channel = call.channelName
      let all = try call.hosting.releases(on: channel, of: site.name)
      return try call.page("releases", of: all.map { try call.json($0, on: channel, of: site) })
    } + siteRoutes(.post, path) { try Self.release($0) }
  }

  private static func create(_ call: HostingCall) throws -> JSONValue {
    let site =
      try call.site
      ?? call.hosting.siteToDeploy(call.parameter("site"), of: call.project.string)
    guard let id = try call.query("channelId"), !id.isEmpty else {
      throw ServiceError.invalidArgument("The parameter channelId is required.")
    }
    call.note("create channel \(id)")
    let channel = try call.hosting.createChannel(
      id,
      of: site.name,
      life: try life(try call.body())
    )
    return try call.json(channel, of: site)
  }

  /// The life that a body asks for: `604800s`; nil where it asks for none.
  private static func life(_ body: JSONValue) throws(ServiceError) -> Int64? {
    guard let text = body["ttl"]?.string else { return nil }
    guard text.hasSuffix("s"), let seconds = Double(text.dropLast()), seconds > 0, seconds < 1e9
    else { throw .invalidArgument("ttl must be a number of seconds, such as 604800s.") }
    return Int64(seconds.rounded(.up))
  }

  private static func release(_ call: HostingCall) throws -> JSONValue {
    let site = try call.named()
    let body = try call.body()
    let name = try call.query("versionName") ?? body["version"]?["name"]?.string ?? ""
    let parts = name.split(separator: "/").map(String.init)
    let kind = body["type"]?.string.flatMap { HostedRelease.Kind(rawValue: $0) }
    var version: String?
    if kind != .siteDisable {
      guard let place = parts.firstIndex(of: "sites"), parts.count == place + 4,
        parts[place + 1] == site.name, parts[place + 2] == "versions"
      else {
        throw ServiceError.invalidArgument(
          "versionName must be sites/\(site.name)/versions/VERSION, a version of this site."
        )
      }
      version = parts[place + 3]
    }
    call.note(version.map { "release version \($0)" } ?? "disable the site")
    let release = try call.hosting.release(
      version,
      on: call.channelName,
      of: site.name,
      kind: kind ?? .deploy,
      message: body["message"]?.string ?? "",
      author: call.author
    )
    return try call.json(release, on: call.channelName, of: site)
  }
}

extension HostingCall {
  var channelName: String { request.parameters["channel"] ?? HostedChannel.live }

  func json(_ channel: HostedChannel, of site: HostedSite) throws -> JSONValue {
    let name = "projects/\(site.project)/sites/\(site.name)/channels/\(channel.id)"
    var members: [JSONValue.Member] = [
      .init("name", .string(name)),
      .init("createTime", .string(Self.time(channel.createdAt))),
      .init("updateTime", .string(Self.time(channel.updatedAt))),
      .init("retainedReleaseCount", .integer(hosting.configuration.keptReleases)),
    ]
    if let host = hosting.host(of: channel) {
      members.append(.init("url", .string(environment.address(of: host))))
    }
    if let end = channel.expiresAt { members.append(.init("expireTime", .string(Self.time(end)))) }
    if let release = channel.release {
      members.append(.init("release", try json(release, on: channel.id, of: site)))
    }
    return .object(members)
  }

  func json(
    _ release: HostedRelease,
    on channel: String,
    of site: HostedSite
  ) throws -> JSONValue {
    let root = "projects/\(site.project)/sites/\(site.name)"
    var members: [JSONValue.Member] = [
      .init("name", .string("\(root)/channels/\(channel)/releases/\(release.id)")),
      .init("type", .string(release.kind.rawValue)),
      .init("releaseTime", .string(Self.time(release.time))),
      .init("releaseUser", .object(["email": .string(release.author)])),
      .init("message", .string(release.message)),
    ]
    if let id = release.version {
      let version = try? hosting.version(id, of: site.name)
      let json =
        try version.map { try self.json($0, of: site) }
        ?? .object(["name": .string("\(root)/versions/\(id)")])
      members.append(.init("version", json))
    }
    return .object(members)
  }
}
