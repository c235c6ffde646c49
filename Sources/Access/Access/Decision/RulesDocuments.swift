import BaseText
import DocumentCodec
import DocumentStore
import FirestoreModel
import SecurityRules

/// A document's fields as rules read them: only requested fields are decoded.
final class StoredFields: RulesDocumentFields {
  private let fields: DocumentFields

  init(_ fields: DocumentFields) { self.fields = fields }

  func value(of field: Text) -> Value? { fields.value(of: field) }

  func all() -> MapValue { fields.decoded() }

  var byteCount: Int { fields.bytes.count }

  /// A document as `resource` shows it.
  static func resource(_ name: [Text], _ fields: DocumentFields) -> RulesMap {
    RulesMap(document(name, fields))
  }

  /// A document as `get()` shows it.
  static func document(_ name: [Text], _ fields: DocumentFields) -> RulesDocument {
    RulesDocument(path: name, data: RulesMap(StoredFields(fields)))
  }
}

/// For questions that should not need other documents: says so when they do.
struct NoDocuments: RulesDataSource {
  /// A rule has asked for another document.
  struct Needed: Error {}

  func document(at path: ResourcePath) throws -> RulesDocument? { throw Needed() }

  func documentAfter(at path: ResourcePath) throws -> RulesDocument? { throw Needed() }
}

/// The documents of one view, and which of them were read.
final class ViewDocuments: RulesDataSource {
  private let database: Database
  private let view: ReadView
  private(set) var dependencies: [ReadDependency] = []

  init(_ database: Database, _ view: ReadView) {
    self.database = database
    self.view = view
  }

  func document(at path: ResourcePath) throws -> RulesDocument? {
    let stored = try database.document(DocumentKey(path, in: database.incarnation), in: view)
    dependencies.append(ReadDependency(path: path, version: stored?.updateTime ?? .zero))
    return stored.map {
      StoredFields.document(RulesPathNames.full(path, in: database.id), $0.fields)
    }
  }

  func documentAfter(at path: ResourcePath) throws -> RulesDocument? { try document(at: path) }
}

/// The documents around a commit, before it and after.
struct CommitDocuments: RulesDataSource {
  let database: DatabaseID
  let preview: CommitPreview

  func document(at path: ResourcePath) throws -> RulesDocument? {
    shown(try preview.document(at: path)?.fields, path)
  }

  func documentAfter(at path: ResourcePath) throws -> RulesDocument? {
    shown(try preview.fieldsAfter(at: path), path)
  }

  private func shown(_ fields: DocumentFields?, _ path: ResourcePath) -> RulesDocument? {
    fields.map { StoredFields.document(RulesPathNames.full(path, in: database), $0) }
  }
}

extension RulesMap {
  /// A stored document's fields; only requested ones are decoded.
  package init(_ fields: DocumentFields) { self.init(StoredFields(fields)) }
}
