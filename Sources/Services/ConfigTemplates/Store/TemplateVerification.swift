import FirestoreModel
import KeyValueStore

/// Reads all templates and says where they do not fit together.
package enum TemplateVerification {
  /// Reports each difference, in words, and returns the number of checked items; blocks for as long
  /// as reading everything takes.
  package static func verify(
    _ templates: ConfigTemplates,
    difference: (String) throws -> Void
  ) throws -> (templates: Int, versions: Int) {
    try templates.reading { reader in
      var seen = (templates: 0, versions: 0)
      for (id, head) in try TemplateRecords.heads(reader) {
        let name = "\(id.project.string)/\(id.namespace.rawValue)"
        let versions = try numbers(.version, id, reader)
        for found in try check(id, head, versions, reader) { try difference("\(name): \(found)") }
        seen.templates += 1
        seen.versions += versions.count
      }
      return seen
    }
  }

  private static func check(
    _ id: TemplateID,
    _ head: TemplateHead,
    _ versions: Set<Int64>,
    _ reader: any KeyValueReader
  ) throws -> [String] {
    var differences: [String] = []
    let bodies = try numbers(.body, id, reader)
    for number in versions.subtracting(bodies).sorted() {
      differences.append("version \(number) has no template")
    }
    for number in bodies.subtracting(versions).sorted() {
      differences.append("template \(number) has no version")
    }
    if versions.max() != head.current {
      differences.append(
        "the head names version \(head.current), the newest is \(versions.max() ?? 0)"
      )
    }
    if head.served < head.current {
      differences.append("clients get version \(head.served), which is below \(head.current)")
    }
    let counts = try ConfigTemplates.counts(id, reader).installations
    let assigned = try assignments(id, reader)
    if counts != assigned {
      differences.append("\(assigned) installations have assignments, \(counts) are counted")
    }
    if !isServable(id, head.current, reader) {
      differences.append("the newest version, \(head.current), cannot be served")
    }
    return differences
  }

  private static func assignments(
    _ id: TemplateID,
    _ reader: any KeyValueReader
  ) throws -> Int64 {
    let range = KeyRange(prefix: TemplateKey.prefix(.assignment, id))
    let cursor = try reader.cursor(over: range, reversed: false)
    var count: Int64 = 0
    while try cursor.next() { count += 1 }
    return count
  }

  private static func numbers(
    _ kind: TemplateKey.Kind,
    _ id: TemplateID,
    _ reader: any KeyValueReader
  ) throws -> Set<Int64> {
    let range = KeyRange(prefix: TemplateKey.prefix(kind, id))
    let cursor = try reader.cursor(over: range, reversed: false)
    var numbers: Set<Int64> = []
    while try cursor.next() {
      var position = 0
      guard let rest = TemplateKey.parse(cursor.key)?.rest, rest.count == 8,
        let number = rest.withUnsafeBytes({ readBigEndian($0, at: &position) })
      else { throw KeyValueError(.corruption, "the key of a template's version is damaged") }
      numbers.insert(Int64(bitPattern: number))
    }
    return numbers
  }

  private static func isServable(
    _ id: TemplateID,
    _ number: Int64,
    _ reader: any KeyValueReader
  ) -> Bool {
    do {
      guard try TemplateRecords.version(id, number, reader) != nil,
        let template = try TemplateRecords.body(id, number, reader)
      else { return false }
      _ = try CompiledTemplate(template, for: id.namespace)
      return true
    } catch {
      return false
    }
  }
}
