import BaseJSON

/// Lets the references in a document point at the database that the document is imported into.
///
/// References to the document's own database lead to the new one, those to other databases of its project to databases of
/// the same name in the new project. References to other projects stay as they are.
struct ReferenceMove {
  private let target: DatabaseLabel
  private static let mark = Array("\"referenceValue\"".utf8)

  /// References into a database and its project.
  init(to target: DatabaseLabel) { self.target = target }

  /// The line of the document with its references moved.
  func moved(_ line: [UInt8]) throws -> [UInt8] {
    guard Self.hasMark(line) else { return line }
    let json = try JSONParser.parse(line)
    guard case .object(var members) = json, case .string(let name)? = json[["name"]],
      let source = Self.parts(name)
    else { return line }
    guard isElsewhere(source) else { return line }
    for index in members.indices where members[index].key == "fields" {
      members[index].value = fields(members[index].value, source)
    }
    return JSONValue.object(members).compactBytes
  }

  /// A map's fields by name.
  private func fields(_ json: JSONValue, _ source: DatabaseLabel) -> JSONValue {
    guard case .object(var members) = json else { return json }
    for index in members.indices { members[index].value = value(members[index].value, source) }
    return .object(members)
  }

  /// A value: an object with one member, named for its type.
  private func value(_ json: JSONValue, _ source: DatabaseLabel) -> JSONValue {
    guard case .object(var members) = json, members.count == 1 else { return json }
    switch (members[0].key, members[0].value) {
    case ("referenceValue", .string(let name)):
      members[0].value = .string(reference(name, source))
    case ("arrayValue", .object(var list)):
      for index in list.indices where list[index].key == "values" {
        guard case .array(let values) = list[index].value else { continue }
        list[index].value = .array(values.map { value($0, source) })
      }
      members[0].value = .object(list)
    case ("mapValue", .object(var map)):
      for index in map.indices where map[index].key == "fields" {
        map[index].value = fields(map[index].value, source)
      }
      members[0].value = .object(map)
    default: return json
    }
    return .object(members)
  }

  /// True for another database than the one that references are moved to.
  func isElsewhere(_ source: DatabaseLabel) -> Bool {
    source.project != target.project || source.database != target.database
  }

  func reference(_ name: String, _ source: DatabaseLabel) -> String {
    guard let parts = Self.parts(name), parts.project == source.project else { return name }
    let database = parts.database == source.database ? target.database : parts.database
    let rest = name.split(separator: "/", omittingEmptySubsequences: false).dropFirst(4)
    return (["projects", target.project, "databases", database] + rest.map(String.init))
      .joined(separator: "/")
  }

  /// The database of a name `projects/P/databases/D/…`; nil for another text.
  static func parts(_ name: String) -> DatabaseLabel? {
    let parts = name.split(
      separator: "/",
      maxSplits: 4,
      omittingEmptySubsequences: false
    )
    guard parts.count == 5, parts[0] == "projects", parts[2] == "databases" else { return nil }
    return DatabaseLabel(project: String(parts[1]), database: String(parts[3]))
  }

  /// Returns true if a line may have a reference, without reading it as JSON.
  private static func hasMark(_ line: [UInt8]) -> Bool {
    line.withUnsafeBytes { bytes in
      var start = 0
      while let quote = bytes[start...].firstIndex(of: mark[0]) {
        guard bytes.count - quote >= mark.count else { return false }
        if bytes[quote..<(quote + mark.count)].elementsEqual(mark) { return true }
        start = quote + 1
      }
      return false
    }
  }
}
