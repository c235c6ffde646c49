import BaseJSON
import BaseStatus
import BaseText
import FirestoreModel
import FirestoreWire
import HTTPTypes
import ServiceModule

/// The console's calls for operating the server.
///
///     GET    /console/api/metrics?names=&after=   samples of the last hour
///     GET    /console/api/log?after=              the newest lines, for editors and owners
///     GET    /console/api/requests?after=&before=&limit=   the newest requests of the server, see `RequestLog`
///     GET    /console/api/certificate
///     GET    /console/api/jobs                    for owners, as the rest
///     POST   /console/api/jobs                    {kind: verify | export | import, …}
///     DELETE /console/api/jobs/{number}           ends one
///     GET    /console/api/exports
///     GET    /console/api/backup                  null where the server has none
struct OperationRoutes: Sendable {
  let environment: ConsoleEnvironment
  let operations: ConsoleOperations

  var routes: [HTTPRoute] {
    let jobs = "/console/api/jobs"
    let owners: [HTTPRoute] = [
      .ofConsole(.get, jobs, environment, performing: .runJobs, list),
      .ofConsole(.post, jobs, environment, performing: .runJobs, start),
      .ofConsole(.delete, jobs + "/{number}", environment, performing: .runJobs, cancel),
      .ofConsole(.get, "/console/api/exports", environment, performing: .runJobs, exports),
      .ofConsole(.get, "/console/api/backup", environment, performing: .runJobs, backup),
    ]
    // Only one of the jobs replaces anything, and its body says so.
    return owners + [
      .ofConsole(.get, "/console/api/log", environment, log),
      .ofConsole(
        .get,
        "/console/api/requests",
        environment,
        performing: .readRequestLog,
        requests
      ),
      .ofConsole(.get, "/console/api/metrics", environment, metrics).openToViewers(),
      .ofConsole(.get, "/console/api/certificate", environment, certificate).openToViewers(),
    ]
  }

  // MARK: What the server says

  @Sendable
  private func log(_ request: ServiceRequest) async throws -> ServiceResponse {
    let lines = operations.logs.lines(after: try number("after", request))
    return .private(
      .object([
        "lines": .array(
          lines.map {
            .object(["number": .number(String($0.number)), "text": .string($0.text)])
          }
        )
      ])
    )
  }

  @Sendable
  private func requests(_ request: ServiceRequest) async throws -> ServiceResponse {
    let (after, before) = (try number("after", request), try number("before", request))
    let limit = try number("limit", request)
    let entries = operations.requests?.entries(
      after: Int64(after),
      before: before > 0 ? Int64(before) : .max,
      limit: (1...Self.mostRequests).contains(limit) ? limit : Self.mostRequests
    )
    return .private(.object(["requests": .array((entries ?? []).map(\.json))]))
  }

  /// The most requests of one response.
  private static let mostRequests = 1_000

  @Sendable
  private func metrics(_ request: ServiceRequest) async throws -> ServiceResponse {
    let names = try QueryParameters(request.query).parameters.first { $0.name == "names" }
    let wanted = Set((names?.value ?? "").split(separator: ",").map(String.init))
    let found = operations.metrics.samples(of: wanted, after: try number("after", request))
    return .private(
      .object([
        "names": .array(found.names.map(JSONValue.string)),
        "samples": .array(found.samples.map(\.json)),
      ])
    )
  }

  @Sendable
  private func certificate(_ request: ServiceRequest) async throws -> ServiceResponse {
    let found = try await blocking { try operations.certificate() }
    return .private(.object(["certificate": found?.json ?? .null]))
  }

  // MARK: Jobs

  @Sendable
  private func list(_ request: ServiceRequest) async throws -> ServiceResponse {
    .private(
      .object([
        "jobs": .array(operations.jobs.all.map(\.json)),
        "kinds": .array(operations.kinds.map(JSONValue.string)),
      ])
    )
  }

  @Sendable
  private func start(_ request: ServiceRequest) async throws -> ServiceResponse {
    let body = try await ConsoleBody(request)
    let (kind, operations) = (try body.required("kind"), operations)
    if kind == "import" { try environment.access.requireRecentSignIn(request.context) }
    let (target, work) = try work(of: kind, body)
    request.context.actor?.note(subject: target.isEmpty ? kind : "\(kind) \(target)")
    let job = try await blocking { try operations.jobs.start(kind, target, work) }
    return .private(job.json)
  }

  /// Returns the subject of a job, for people, and its work.
  private func work(
    of kind: String,
    _ body: ConsoleBody
  ) throws -> (target: String, work: OperationJobs.Work) {
    let operations = operations
    switch kind {
    case "verify":
      let sample = try Self.sample(body)
      return ("", { try operations.verify(sample, $0) })
    case "export":
      let (id, kinds, name) = try transfer(body)
      return ("\(id.path) → \(name)", { try operations.export(id, kinds, name, $0) })
    case "import":
      let (id, kinds, name) = try transfer(body)
      return ("\(name) → \(id.path)", { try operations.restore(id, kinds, name, $0) })
    default: throw ServiceError.invalidArgument("A job must be verify, export or import.")
    }
  }

  private static func sample(_ body: ConsoleBody) throws(ServiceError) -> Int? {
    guard let text = body.text("sample"), !text.isEmpty else { return nil }
    guard let sample = Int(text), sample > 0 else {
      throw .invalidArgument("A sample must be one in 1 or more.")
    }
    return sample
  }

  /// Returns the scope of an export or import: a database, kinds of data, and a folder's name.
  private func transfer(
    _ body: ConsoleBody
  ) throws -> (id: DatabaseID, kinds: [String], name: String) {
    let id = DatabaseID(
      project: Text(try body.required("project")),
      database: Text(try body.required("database"))
    )
    try id.checkCreatable()
    let kinds = try body.required("kinds").split(separator: ",").map(String.init)
    guard !kinds.isEmpty, kinds.allSatisfy(operations.kinds.contains) else {
      throw ServiceError.invalidArgument(
        "Kinds are of \(operations.kinds.joined(separator: ", "))."
      )
    }
    return (id, kinds, try Self.folder(body))
  }

  /// The name of a folder, which leads nowhere else.
  private static func folder(_ body: ConsoleBody) throws(ServiceError) -> String {
    let name = try body.required("name")
    let isValid =
      (1...100).contains(name.utf8.count) && !name.hasPrefix(".")
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
          UInt8(ascii: "."):
          true
        default: false
        }
      }
    guard isValid else {
      throw .invalidArgument("An export's name can have letters, digits, dots, - and _.")
    }
    return name
  }

  @Sendable
  private func cancel(_ request: ServiceRequest) async throws -> ServiceResponse {
    let number = Int(request.parameters["number"] ?? "") ?? 0
    guard operations.jobs.cancel(number) else {
      throw ServiceError(.notFound, "No job with that number is running.")
    }
    return .private(.object([JSONValue.Member]()))
  }

  @Sendable
  private func exports(_ request: ServiceRequest) async throws -> ServiceResponse {
    let found = try await blocking { try operations.exports() }
    return .private(.object(["exports": .array(found.map(\.json))]))
  }

  @Sendable
  private func backup(_ request: ServiceRequest) async throws -> ServiceResponse {
    .private(.object(["backup": operations.backup()?.json ?? .null]))
  }

  // MARK: Parts

  private func number(_ name: String, _ request: ServiceRequest) throws -> Int {
    let parameter = try QueryParameters(request.query).parameters.first { $0.name == name }
    return parameter.flatMap { Int($0.value) } ?? 0
  }

  private func blocking<R: Sendable>(
    _ work: @escaping @Sendable () throws -> R
  ) async throws -> R { try await environment.threads.run(on: .maintenance, work) }
}

extension RequestLog.Entry {
  fileprivate var json: JSONValue {
    var members: [JSONValue.Member] = [
      .init("number", .integer(number)), .init("time", .integer(time / 1_000)),
      .init("method", .string(method)), .init("path", .string(path)),
      .init("status", .integer(Int64(status))), .init("address", .string(address)),
      .init("request", .string(requestID)), .init("weight", .integer(Int64(weight))),
    ]
    if let duration { members.append(.init("microseconds", .integer(duration))) }
    if let caller { members.append(.init("caller", .string(caller))) }
    return .object(members)
  }
}

extension MetricsHistory.Sample {
  fileprivate var json: JSONValue {
    .object([
      "number": .number(String(number)), "time": .number(String(time)),
      "values": .array(values.map { .number($0.isFinite ? "\($0)" : "0") }),
    ])
  }
}

extension OperationJob {
  fileprivate var json: JSONValue {
    .object([
      "number": .number(String(self.number)), "kind": .string(kind), "target": .string(target),
      "time": .number(String(time)), "state": .string(state.rawValue),
      "progress": progress?.json ?? .null, "summary": .string(summary),
      "differences": .array(differences.map(JSONValue.string)),
      "differenceCount": .number(String(differenceCount)),
      "ended": ended.map { .number(String($0)) } ?? .null,
    ])
  }
}

extension OperationJob.Progress {
  fileprivate var json: JSONValue {
    .object([
      "done": .number(String(done)), "total": total.map { .number(String($0)) } ?? .null,
      "unit": .string(unit),
    ])
  }
}

extension ConsoleOperations.Export {
  fileprivate var json: JSONValue {
    .object([
      "name": .string(name), "bytes": .number(String(bytes)), "time": .number(String(time)),
    ])
  }
}

extension ConsoleOperations.Backup {
  fileprivate var json: JSONValue {
    .object([
      "target": .string(target), "encrypted": .boolean(isEncrypted),
      "days": .number(String(days)), "proofHours": .number(String(proofHours)),
      "lagSeconds": .number("\(lagSeconds)"), "delaySecondsP99": .number("\(delaySecondsP99)"),
      "failure": failure.map(JSONValue.string) ?? .null,
      "segment": .number(String(segment)), "base": base?.json ?? .null,
      "proof": proof?.json ?? .null, "proofFailure": proofFailure.map(JSONValue.string) ?? .null,
      "earliest": earliest.map { .number(String($0)) } ?? .null,
      "shippedSegments": .number(String(shippedSegments)),
      "shippedBytes": .number(String(shippedBytes)),
    ])
  }
}

extension ConsoleOperations.Backup.Moment {
  fileprivate var json: JSONValue {
    .object(["base": .number(String(base)), "time": .number(String(time))])
  }
}

extension ConsoleOperations.Certificate {
  fileprivate var json: JSONValue {
    .object(["subject": .string(subject), "validUntil": .number(String(validUntil))])
  }
}
