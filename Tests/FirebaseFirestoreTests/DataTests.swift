import FirebaseFirestore
import Foundation
import Testing

/// Tests of the data of apps that traps, and of the twins that throw instead.
struct DataTests {
  private static let document = Coding.document("a/b")

  private static func problem(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch {
      return (error as? FirestoreErrorCode)?.code == .invalidArgument
        ? error.localizedDescription : "\(error)"
    }
  }

  private static func setProblem(_ data: [String: Any]) -> String? {
    problem { try document.check(setData: data) }
  }

  private static func updateProblem(_ data: [AnyHashable: Any]) -> String? {
    problem { try document.check(updateData: data) }
  }

  @Test func `what cannot be set is named with its field`() {
    #expect(
      Self.setProblem(["a": ["b": [[1]]]]) == "Nested arrays are not supported (found in field a.b)"
    )
    #expect(
      Self.setProblem(["a": [FieldValue.serverTimestamp()]])
        == "FieldValue.serverTimestamp() is not currently supported inside arrays (found in field a)"
    )
    #expect(
      Self.setProblem(["a": FieldValue.delete()])
        == "FieldValue.delete() can only be used with updateData() and setData() with merge:true "
        + "(found in field a)"
    )
    #expect(
      Self.setProblem(["": 1])
        == "Invalid data. Document fields must not be empty (found in field )"
    )
    #expect(
      Self.setProblem(["__a__": 1])
        == "Invalid data. Document fields cannot begin and end with \"__\" (found in field __a__)"
    )
    #expect(Self.setProblem(["a": Set([1])])?.hasPrefix("Unsupported type: ") == true)
    #expect(Self.setProblem(["a": UInt64.max])?.contains("is too large (found in field a)") == true)
    let other = Coding.otherDocument("x/y")
    #expect(
      Self.setProblem(["a": other])?.hasPrefix("Document Reference is for database other/") == true
    )
    #expect(Self.setProblem(["a": [1, ["b": 2]], "c": NSNull(), "d": Int?.none as Any]) == nil)
  }

  @Test func `field values and names that fields cannot have are refused at any depth of an array`()
  {
    let inArrays = "is not currently supported inside arrays (found in field"
    let time = ["list": [["a": ["b": FieldValue.serverTimestamp()]]]]
    #expect(Self.setProblem(time) == "FieldValue.serverTimestamp() \(inArrays) list.a.b)")
    #expect(Self.updateProblem(time) == "FieldValue.serverTimestamp() \(inArrays) list.a.b)")
    let deletion = ["x": ["list": [["a": ["b": ["c": FieldValue.delete()]]]]]]
    #expect(
      Self.problem { try Self.document.check(setData: deletion, merge: true) }
        == "FieldValue.delete() \(inArrays) x.list.a.b.c)"
    )
    #expect(
      Self.setProblem(["a": [["b": ["": 1]]]])
        == "Invalid data. Document fields must not be empty (found in field a.b.)"
    )
    #expect(
      Self.setProblem(["a": [["__b__": 1]]])
        == "Invalid data. Document fields cannot begin and end with \"__\" (found in field a.__b__)"
    )
    #expect(Self.setProblem(["a": [["b": [["c": [1]]]]]]) == nil)
  }

  @Test(arguments: [Double.nan, .infinity, -63_000_000_000, 253_402_300_800])
  func `dates that no timestamp has are refused`(seconds: Double) {
    let date = Date(timeIntervalSince1970: seconds)
    #expect(
      Self.setProblem(["a": date])
        == "Timestamp seconds out of range: \(seconds) (found in field a)"
    )
  }

  @Test func `what cannot be updated is named with its field`() {
    #expect(
      Self.updateProblem(["a": ["b": FieldValue.delete()]])
        == "FieldValue.delete() can only appear at the top level of your update data "
        + "(found in field a.b)"
    )
    #expect(Self.updateProblem(["a..b": 1])?.hasPrefix("Invalid field path (a..b).") == true)
    #expect(
      Self.updateProblem(["__x__": 1])
        == "Invalid data. Document fields cannot begin and end with \"__\" (found in field __x__)"
    )
    #expect(Self.updateProblem([1: 1])?.hasPrefix("Dictionary keys passed to updateData") == true)
    #expect(Self.updateProblem(["a.b": FieldValue.delete(), FieldPath(["c.d"]): 1]) == nil)
  }

  @Test func `fields of a merge are in the data`() {
    let document = Self.document
    #expect(
      Self.problem { try document.check(setData: ["a": 1], mergeFields: ["x"]) }
        == "Field 'x' is specified in your field mask but missing from your input data."
    )
    #expect(
      Self.problem { try document.check(setData: ["a": ["b": 1]], mergeFields: ["a.b"]) } == nil
    )
    #expect(
      Self.problem { try document.check(setData: ["a": FieldValue.delete()], mergeFields: ["a"]) }
        == nil
    )
  }

  @Test func `the usual calls trap`() async throws {
    let nested = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let data = ["list": [["a": ["b": FieldValue.serverTimestamp()]]]]
      Self.document.setData(data, completion: nil)
    }
    let text = String(decoding: try #require(nested).standardErrorContent, as: UTF8.self)
    #expect(text.contains("FieldValue.serverTimestamp() is not currently supported inside arrays"))
    await #expect(processExitsWith: .failure) { Self.document.updateData([1: 1], completion: nil) }
    await #expect(processExitsWith: .failure) {
      Self.document.setData(["a": 1], mergeFields: ["b"], completion: nil)
    }
  }
}
