import Access
import BaseJSON
import BaseStatus
import BaseText
import HTTPTypes
import Hosting
import ServiceModule

/// Sites and their domains.
///
///     GET, POST            /v1beta1/projects/{project}/sites            (siteId)
///     GET, PATCH, DELETE   …/sites/{site}
///     GET                  …/sites/{site}/domains
///     GET, POST            …/sites/{site}/customDomains                 (customDomainId)
///     DELETE               …/sites/{site}/customDomains/{domain}
struct SiteRoutes: SiteScoped {
  let environment: HostingEnvironment

  var routes: [HTTPRoute] {
    [
      route(.get, "/v1beta1/projects/{project}/sites") { call in
        var sites = try call.hosting.sites(of: call.project.string)
        let own = try call.hosting.defaultSite(of: call.project.string)
        // Each project has a site of its own, which the first version makes.
        if !sites.contains(where: { $0.name == own }), (try? SiteName.check(own)) != nil {
          sites.insert(.unmade(own, of: call.project.string), at: 0)
        }
        return try call.page("sites", of: sites.map(call.json))
      },
      route(.post, "/v1beta1/projects/{project}/sites") { try Self.create($0) },
    ] + oneSite + domains
  }

  private var oneSite: [HTTPRoute] {
    siteRoutes(.get, "") { call in call.json(try call.shown()) }
      + siteRoutes(.patch, "") { call in
        let site = try call.named()
        let appID = try call.body()["appId"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        call.note("link with app \(appID ?? "none")")
        return call.json(try call.hosting.update(site.name, appID: appID))
      }
      + siteRoutes(.delete, "", takes: .deleteSite) { call in
        let site = try call.named()
        try call.hosting.deleteSite(site.name)
        return .object([])
      }
  }

  private var domains: [HTTPRoute] {
    siteRoutes(.get, "/domains") { call in
      let site = try call.shown()
      let all = try call.hosting.domains(of: site.name).map { domain in
        JSONValue.object([
          "site": .string(site.name), "domainName": .string(domain),
          "status": .string("DOMAIN_ACTIVE"),
        ])
      }
      return try call.page("domains", of: all)
    }
      + siteRoutes(.get, "/customDomains") { call in
        let site = try call.shown()
        let all = try call.hosting.domains(of: site.name).map { call.domain($0, of: site) }
        return try call.page("customDomains", of: all)
      }
      + siteRoutes(.post, "/customDomains", takes: .connectDomain) { call in
        let site = try call.named()
        guard let domain = try call.query("customDomainId") else {
          throw ServiceError.invalidArgument("The parameter customDomainId is required.")
        }
        call.note("connect domain \(domain.lowercased())")
        try call.hosting.addDomain(domain.lowercased(), to: site.name)
        return .object([
          "name": .string("operations/noop.DONE_OPERATION"), "done": .boolean(true),
          "response": call.domain(domain.lowercased(), of: site),
        ])
      }
      + siteRoutes(.delete, "/customDomains/{domain}", takes: .connectDomain) { call in
        let site = try call.named()
        try call.hosting.removeDomain(call.parameter("domain").lowercased(), from: site.name)
        return .object([
          "name": .string("operations/noop.DONE_OPERATION"), "done": .boolean(true),
          "response": .object([]),
        ])
      }
  }

  /// A name that belongs to another project by its form is that project's; administrators of the server may choose any other.
  private static func create(_ call: HostingCall) throws -> JSONValue {
    guard let name = try call.query("siteId") ?? call.body()["name"]?.string, !name.isEmpty else {
      throw ServiceError.invalidArgument("The parameter siteId is required.")
    }
    try SiteName.check(name)
    call.note("create site \(name)")
    try requireName(name, call)
    let body = try call.body()
    guard try call.query("validateOnly") != "true" else {
      guard try call.hosting.site(name) == nil else {
        throw ServiceError(.alreadyExists, "The site \(name) already exists.")
      }
      return .object([])
    }
    return call.json(
      try call.hosting.createSite(
        name,
        of: call.project.string,
        appID: body["appId"]?.string.flatMap { $0.isEmpty ? nil : $0 }
      )
    )
  }

  private static func requireName(_ name: String, _ call: HostingCall) throws {
    let projects = Set(try call.environment.numbers.projects().map(\.string))
    let own = call.project.string
    if SiteName.belongs(name, to: own, among: projects) { return }
    guard call.isOfServer, SiteName.owner(of: name, among: projects.subtracting([own])) == nil
    else {
      throw ServiceError(
        .permissionDenied,
        "A site of \(own) must be named \(own) or begin with \(own)-. The site \(name) could belong to another project."
      )
    }
  }
}

extension HostingCall {
  /// The site that the path names, also where the project's first version will make it.
  func shown() throws -> HostedSite {
    if let site { return site }
    let name = parameter("site")
    let own = try hosting.defaultSite(of: project.string)
    guard name == own, try hosting.site(name) == nil else { throw Self.noSite(name) }
    return .unmade(name, of: project.string)
  }

  func json(_ site: HostedSite) -> JSONValue {
    let isDefault = [site.project, SiteName.other(than: site.project)].contains(site.name)
    var members: [JSONValue.Member] = [
      .init("name", .string("projects/\(site.project)/sites/\(site.name)")),
      .init("type", .string(isDefault ? "DEFAULT_SITE" : "USER_SITE")),
    ]
    let host = hosting.configuration.domain.map { "\(site.name).\($0)" }
    let named = host ?? (try? hosting.domains(of: site.name).first)
    if let named { members.append(.init("defaultUrl", .string(environment.address(of: named)))) }
    if let app = site.appID { members.append(.init("appId", .string(app))) }
    return .object(members)
  }

  func domain(_ domain: String, of site: HostedSite) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init(
        "name",
        .string("projects/\(site.project)/sites/\(site.name)/customDomains/\(domain)")
      ),
      .init("hostState", .string("HOST_ACTIVE")),
      .init("ownershipState", .string("OWNERSHIP_ACTIVE")),
    ]
    // A file that cannot be read is no certificate.
    if let until = try? environment.certificate(domain) {
      members.append(.init("cert", certificate(until: until)))
    }
    return .object(members)
  }

  /// The seconds before its end in which a certificate is said to expire soon.
  private static let expirySeconds: Int64 = 30 * 86_400

  private func certificate(until end: Int64) -> JSONValue {
    let left = end - hosting.configuration.clock()
    let isEnding = left < Self.expirySeconds * 1_000_000
    let state =
      left <= 0 ? "CERT_EXPIRED" : isEnding ? "CERT_EXPIRING_SOON" : "CERT_ACTIVE"
    return .object(["state": .string(state), "expireTime": .string(Self.time(end))])
  }
}
