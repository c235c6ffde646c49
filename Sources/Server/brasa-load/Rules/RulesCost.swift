import BaseText
import FirestoreModel
import SecurityRules

/// The cost of the security rules: those for products, on one product.
struct RulesCost {
  /// The time that one operation took.
  struct Figure: CustomStringConvertible {
    let median: Duration
    let best: Duration

    var description: String { "\(Self.text(median)) (\(Self.text(best)))" }

    private static func text(_ time: Duration) -> String {
      let micros = time / .microseconds(1)
      return micros < 1_000
        ? "\(Report.short(micros)) us" : "\(Report.short(micros / 1_000)) ms"
    }
  }

  /// A decision came out otherwise than it must.
  struct WrongDecision: Error {}

  private static let database = DatabaseID(project: "shop")
  private static let user = Text("ana")
  private static let time = Timestamp(microseconds: 1_775_044_800_000_000)

  private let ruleset: CompiledRuleset
  private let read: RulesRequest
  private let query: NormalizedQuery
  private let widestQuery: NormalizedQuery
  private let longSource: SourceText
  private let auth = RulesAuth(uid: user, token: RulesMap(["sub": .string(user)]))

  /// The number of lines that `compileLongSource` compiles.
  let longSourceLines: Int

  init() throws {
    ruleset = try RulesCompiler.compile(SourceText(Self.products))
    let path: [Text] = ["databases", "(default)", "documents", "products", "p1"]
    let fields = MapValue([
      .init(key: "userId", value: .string(Self.user)), .init(key: "name", value: .string("Lamp")),
      .init(key: "price", value: .double(12.5)),
    ])
    var request = RulesRequest(method: .get, path: path, auth: auth, time: Self.time)
    request.resource = RulesMap(RulesDocument(path: path, data: RulesMap(fields)))
    read = request
    query = try Self.query([]).normalized()
    widestQuery = try Self.query([("price", 10), ("code", 3)]).normalized()
    let blocks = (0..<100).map(Self.block)
    let source = Self.service(blocks.joined(separator: "\n"))
    longSource = SourceText(source)
    longSourceLines = source.split(separator: "\n", omittingEmptySubsequences: false).count
  }

  /// A user reads a product of theirs.
  func evaluateRead() throws {
    guard try session.evaluate(read).isAllowed else { throw WrongDecision() }
  }

  /// A user requests all products of theirs.
  func proveQuery() throws { try prove(query) }

  /// The same with as many alternatives as a query may have, of values that are stored in two ways.
  func proveWidestQuery() throws { try prove(widestQuery) }

  func compileLongSource() throws { _ = try RulesCompiler.compile(longSource) }

  /// Times batches of operations.
  static func time(_ batches: Int, of count: Int, _ operation: () throws -> Void) throws -> Figure {
    let times = try (0..<batches).map { _ in
      try ContinuousClock().measure { for _ in 0..<count { try operation() } } / count
    }.sorted()
    return Figure(median: times[times.count / 2], best: times[0])
  }

  private func prove(_ query: NormalizedQuery) throws {
    let decision = try session.prove(
      query,
      database: Self.database,
      auth: auth,
      time: Self.time
    )
    guard decision.isAllowed else { throw WrongDecision() }
  }

  private var session: RulesSession {
    RulesSession(
      ruleset: ruleset,
      database: Self.database.database,
      dataSource: Nothing(),
      digests: Nothing()
    )
  }

  /// Products of the user, with numbers that further fields may have.
  private static func query(_ choices: [(field: Text, count: Int64)]) -> Query {
    var query = Query(scope: .collection("products"))
    let numbers = choices.map { field, count in
      Filter.field(FieldPath([field]), .in, .array((0..<count).map { .integer($0) }))
    }
    query.filter = .and([.field(FieldPath(["userId"]), .equal, .string(user))] + numbers)
    return query
  }
}

/// No documents and no digests: the measured rules ask for none.
private struct Nothing: RulesDataSource, RulesDigests {
  func document(at path: ResourcePath) throws -> RulesDocument? { nil }
  func documentAfter(at path: ResourcePath) throws -> RulesDocument? { nil }
  func md5(_ bytes: [UInt8]) -> [UInt8] { [] }
  func sha256(_ bytes: [UInt8]) -> [UInt8] { [] }
}

// MARK: Sources

extension RulesCost {
  private static func service(_ blocks: String) -> String {
    """
    rules_version = '2';
    service cloud.firestore {
      match /databases/{database}/documents {
        \(blocks)
      }
    }
    """
  }

  /// The seed's rules.
  private static let products = service(
    """
    match /products/{id} {
      allow create: if request.auth != null && request.resource.data.userId == request.auth.uid;
      allow read, delete: if request.auth != null && resource.data.userId == request.auth.uid;
      allow update: if request.auth != null && resource.data.userId == request.auth.uid
        && request.resource.data.userId == resource.data.userId;
    }
    """
  )

  /// Ten lines as people write them.
  private static func block(_ index: Int) -> String {
    """
    match /c\(index)/{id} {
      function mine\(index)() { return request.auth != null && resource.data.o == request.auth.uid; }
      allow read: if mine\(index)() || resource.data.public == true;
      allow create: if request.resource.data.keys().hasOnly(['o', 'public', 'name'])
        && request.resource.data.o == request.auth.uid && request.resource.data.name is string
        && request.resource.data.name.size() <= 100 && request.resource.data.name.matches('[a-z]+');
      allow update: if mine\(index)() && request.resource.data.o == resource.data.o
        && get(/databases/$(database)/documents/users/$(request.auth.uid)).data.active == true;
      allow delete: if mine\(index)();
    }
    """
  }
}
