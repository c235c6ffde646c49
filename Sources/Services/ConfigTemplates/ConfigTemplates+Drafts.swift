import BaseJSON
import BaseStatus
import BaseText
import FirestoreModel
import KeyValueStore

/// An unpublished template in progress.
package struct TemplateDraft: Sendable, Equatable {
  /// Under which it is kept, such as an administrator's email.
  package let name: Text
  /// The etag of the version that it began from.
  package let etag: String
  /// Microseconds since the epoch.
  package let updateTime: Int64
  /// The template's JSON as it was sent; it may break rules that publishing checks.
  package let template: JSONValue
  /// The problem that keeps it from being published; nil if there is none.
  package let problem: String?
}

// Drafts lie beside a template and change nothing for clients. All of it blocks.
extension ConfigTemplates {
  /// Drafts that are kept of a template.
  private static let draftLimit = 100
  /// Bytes of a draft's template.
  private static let draftBytes = 8 << 20
  /// Bytes of a draft's name.
  private static let nameBytes = 256

  /// Keeps a draft under a name, in place of the one that is there.
  @discardableResult
  package func keepDraft(
    _ name: Text,
    of id: TemplateID,
    template: JSONValue,
    etag: String
  ) throws -> TemplateDraft {
    guard (1...Self.nameBytes).contains(name.byteCount) else {
      throw ServiceError.invalidArgument(
        "A draft's name must have between 1 and \(Self.nameBytes) bytes."
      )
    }
    let draft = TemplateDraft(
      name: name,
      etag: String(etag.prefix(1_000)),
      updateTime: clock.now(),
      template: template,
      problem: Self.problem(of: template, id.namespace)
    )
    let bytes = draft.stored
    guard bytes.count <= Self.draftBytes else {
      throw ServiceError.invalidArgument("A draft can have at most \(Self.draftBytes) bytes.")
    }
    try writing { group in
      let key = TemplateKey.draft(id, name)
      if try group.get(key) == nil { try Self.checkRoom(for: id, group) }
      try group.put(key, bytes)
    }
    return draft
  }

  private static func checkRoom(for id: TemplateID, _ group: any KeyValueGroup) throws {
    let range = KeyRange(prefix: TemplateKey.prefix(.draft, id))
    let cursor = try group.cursor(over: range, reversed: false)
    var count = 0
    while try cursor.next() { count += 1 }
    guard count < draftLimit else {
      throw ServiceError(
        .resourceExhausted,
        "There are \(draftLimit) drafts of the template. Delete one first."
      )
    }
  }

  fileprivate static func problem(of template: JSONValue, _ namespace: ConfigNamespace) -> String? {
    do throws(ServiceError) {
      _ = try CompiledTemplate(try ConfigTemplate(json: template), for: namespace)
      return nil
    } catch {
      return error.message
    }
  }

  /// The draft of a name; NOT_FOUND without one.
  package func draft(_ name: Text, of id: TemplateID) throws -> TemplateDraft {
    try reading { reader in
      guard let bytes = try reader.get(TemplateKey.draft(id, name)) else {
        throw ServiceError(.notFound, "There is no draft \(name.string.prefix(100)).")
      }
      return try TemplateDraft(stored: bytes, name: name, id.namespace)
    }
  }

  /// A template's drafts by name.
  package func drafts(of id: TemplateID) throws -> [TemplateDraft] {
    try reading { reader in
      let range = KeyRange(prefix: TemplateKey.prefix(.draft, id))
      let cursor = try reader.cursor(over: range, reversed: false)
      var drafts: [TemplateDraft] = []
      while try cursor.next() {
        guard let rest = TemplateKey.parse(cursor.key)?.rest else {
          throw KeyValueError(.corruption, "the key of a draft is damaged")
        }
        var position = 0
        guard let name = rest.withUnsafeBytes({ SegmentEncoding.decodeText($0, at: &position) })
        else { throw KeyValueError(.corruption, "the key of a draft is damaged") }
        drafts.append(try TemplateDraft(stored: [UInt8](cursor.value), name: name, id.namespace))
      }
      return drafts
    }
  }

  /// Removes a draft; NOT_FOUND without one.
  package func deleteDraft(_ name: Text, of id: TemplateID) throws {
    try writing { group in
      let key = TemplateKey.draft(id, name)
      guard try group.get(key) != nil else {
        throw ServiceError(.notFound, "There is no draft \(name.string.prefix(100)).")
      }
      try group.delete(key)
    }
  }
}

extension TemplateDraft {
  fileprivate var stored: [UInt8] {
    let json = JSONValue.object([
      .init("etag", .string(etag)), .init("updateTime", .string("\(updateTime)")),
      .init("template", template),
    ])
    return Array(json.compact.utf8)
  }

  fileprivate init(stored: [UInt8], name: Text, _ namespace: ConfigNamespace) throws {
    let json = try JSONValue(parsing: String(decoding: stored, as: UTF8.self))
    guard let etag = json["etag"]?.string, let template = json["template"],
      let time = json["updateTime"]?.string.flatMap(Int64.init)
    else { throw ServiceError(.dataLoss, "Stored data is damaged.") }
    self.init(
      name: name,
      etag: etag,
      updateTime: time,
      template: template,
      problem: ConfigTemplates.problem(of: template, namespace)
    )
  }
}
