import BaseStatus
import BaseText
import FirestoreModel
import Testing

@Suite struct FieldPathTests {
  @Test(arguments: [
    ("a", ["a"], "a"), ("a.b_1", ["a", "b_1"], "a.b_1"), ("`a`.b", ["a", "b"], "a.b"),
    ("`a.b`", ["a.b"], "`a.b`"), (#"`\``"#, ["`"], #"`\``"#), (#"`\\`"#, ["\\"], #"`\\`"#),
    (#"`\a`"#, ["a"], "a"), ("`0`", ["0"], "`0`"), ("`é`", ["é"], "`é`"),
    ("__name__", ["__name__"], "__name__"),
    ("`__name__`", ["__name__"], "__name__"),
  ])
  func `paths are read and spelled one way`(text: String, names: [String], canonical: String) throws
  {
    let path = try FieldPath(parsing: text)
    #expect(path.segments == names.map { Text($0) })
    #expect(path.canonicalString == canonical)
    #expect(try FieldPath(parsing: path.canonicalString) == path)
  }

  @Test(arguments: [
    "a..b", ".a", "a.", "0a", "a b", "é", "`a", "``", "a`b`", "`a`b", #"`a\"#, "a-b",
  ])
  func `bad syntax is refused`(text: String) {
    let message = refusal { () throws(ServiceError) in _ = try FieldPath(parsing: text) }
    #expect(
      message == "Invalid property path \"\(text)\". Unquoted property paths must match regex "
        + #"([a-zA-Z_][a-zA-Z_0-9]*), and quoted property paths must match regex "#
        + #"(`(?:[^`\\]|(?:\\.))+`)"#
    )
  }

  @Test(arguments: [
    ("", "Invalid empty property path string."),
    ("__x__", "Invalid reserved name in field path __x__"),
    ("a.__name__", "Invalid reserved name in field path a.__name__"),
    (String(repeating: "x", count: 1_501), "property path is longer than 1500 bytes."),
  ])
  func `empty, reserved and long paths are refused`(text: String, message: String) {
    #expect(refusal { () throws(ServiceError) in _ = try FieldPath(parsing: text) } == message)
  }

  @Test func `an update mask may name a field and its parent, and a field twice`() throws {
    let mask = try FieldMask.update(parsing: ["b", "`a`.c", "a.c", "a.b"])
    #expect(mask.map(\.canonicalString) == ["a.b", "a.c", "b"])
    let nested = try FieldMask.update(parsing: ["a.b", "z", "a", "a1", "a.b.c", "z"])
    #expect(nested.map(\.canonicalString) == ["a", "a1", "z"])
    #expect(throws: ServiceError.self) { try FieldMask.update(parsing: ["__name__"]) }
    #expect(
      try FieldMask.read(parsing: ["a.b", "a", "__name__"]).map(\.canonicalString) == ["a"]
    )
  }
}
