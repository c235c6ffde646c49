import BaseJSON
import BaseStatus
import EventAnalytics

extension Reports {
  func audiences(_ call: ReportCall) throws -> JSONValue {
    let audiences = try analytics.audiences(of: call.project)
    return .object([.init("audiences", .array(try audiences.map { try json($0, call, ids: 0) }))])
  }

  func audience(_ call: ReportCall) throws -> JSONValue {
    let limit = try call.number("limit", 0...10_000) ?? 0
    return try json(try known(call), call, ids: limit)
  }

  func putAudience(_ call: ReportCall) throws -> JSONValue {
    let audience = try Audience(named: call.name ?? "", try call.body())
    try analytics.put(audience, in: call.project)
    return try json(audience, call, ids: 0)
  }

  func deleteAudience(_ call: ReportCall) throws -> JSONValue {
    guard try analytics.removeAudience(call.name ?? "", of: call.project) else {
      throw Self.unknown(call)
    }
    return .object([])
  }

  private func known(_ call: ReportCall) throws -> Audience {
    let audiences = try analytics.audiences(of: call.project)
    guard let audience = audiences.first(where: { $0.name == call.name }) else {
      throw Self.unknown(call)
    }
    return audience
  }

  private static func unknown(_ call: ReportCall) -> ServiceError {
    ServiceError(.notFound, "There is no audience \"\((call.name ?? "").prefix(100))\".")
  }

  private func json(_ audience: Audience, _ call: ReportCall, ids limit: Int) throws -> JSONValue {
    let members = try analytics.members(of: audience, project: call.project, limit: limit)
    var json: [JSONValue.Member] = [.init("name", .string(audience.name))]
    json += audience.json.members ?? []
    json.append(.init("users", .integer(members.count)))
    if limit > 0 {
      json.append(.init("appInstanceIds", .array(members.instanceIDs.map(JSONValue.string))))
    }
    return .object(json)
  }
}
