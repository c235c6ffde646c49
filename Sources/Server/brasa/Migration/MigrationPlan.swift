import ArgumentParser
import Foundation

/// The state of a migration, in a file that is replaced as a whole: an interrupted migration
/// continues there.
struct MigrationPlan: Codable, Equatable {
  /// A part of the documents, in the order of names.
  struct Part: Codable, Equatable {
    /// The first name that belongs to the next part; nil for the last part.
    var end: String?
    /// The name of the last document that is stored, or of the part's beginning.
    var after: String?
    /// True for a beginning that is a document of the part.
    var includesAfter = false
    var isDone = false
    var count = 0
  }

  var source: String
  var target: DatabaseLabel
  /// The time at which documents are read, in microseconds since 1970; nil where the source does not keep it.
  var readTime: Int64?
  /// The time from which changes are followed.
  var followTime: Int64?
  var parts: [Part] = []
  var hasParts = false
  /// The ids of collections with documents.
  var groups: [String] = []
  /// The tokens of listeners by the id of their collection, Base64.
  var tokens: [String: String] = [:]
  /// Kinds beside documents that are done.
  var done: [String] = []
  /// The last object that is stored, by bucket.
  var objects: [String: String] = [:]

  var documents: Int { parts.reduce(0) { $0 + $1.count } }
}

/// The plan and its file; every change is on the disk when the call returns.
actor MigrationState {
  private(set) var plan: MigrationPlan
  private let file: URL
  private var groups: Set<String>

  /// Reads the plan of an earlier run, or begins one; refuses the plan of another migration.
  init(file: String, source: String, target: DatabaseLabel) throws {
    self.file = URL(fileURLWithPath: file)
    var plan = MigrationPlan(source: source, target: target)
    if let bytes = FileManager.default.contents(atPath: file) {
      guard let known = try? JSONDecoder().decode(MigrationPlan.self, from: bytes) else {
        throw ValidationError(
          "\(file) is not the plan of a migration. Name another file with --plan."
        )
      }
      guard known.source == source, known.target == target else {
        throw ValidationError(
          "\(file) is the plan of another migration, from \(known.source). Name another file with --plan."
        )
      }
      plan = known
    }
    self.plan = plan
    groups = Set(plan.groups)
  }

  /// Changes the plan and saves it.
  func change(_ body: @Sendable (inout MigrationPlan) -> Void) throws {
    body(&plan)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(plan).write(to: file, options: .atomic)
  }

  /// Notes what was stored of a part.
  func stored(_ count: Int, upTo name: String, of part: Int, groups found: Set<String>) throws {
    groups.formUnion(found)
    let all = groups.sorted()
    try change { plan in
      plan.parts[part].count += count
      plan.parts[part].after = name
      plan.parts[part].includesAfter = false
      plan.groups = all
    }
  }
}

/// Lines for the person who runs a migration.
actor MigrationLog {
  private let line = ProgressLine()
  private var documents = 0

  func print(_ text: String) { line.print(text) }

  func add(documents count: Int) {
    documents += count
    line.show(done: documents, total: nil, unit: "document")
  }
}
