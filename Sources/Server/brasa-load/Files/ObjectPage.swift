import Foundation

/// A page of a list of objects.
struct ObjectPage {
  let names: [String]
  /// The token of the next page; nil behind the last.
  let nextToken: String?

  private struct Form: Decodable {
    struct Item: Decodable {
      let name: String
    }

    let items: [Item]?
    let nextPageToken: String?
  }

  /// Reads the JSON of a page.
  init(_ body: [UInt8]) throws {
    let form = try JSONDecoder().decode(Form.self, from: Data(body))
    names = (form.items ?? []).map(\.name)
    nextToken = form.nextPageToken
  }

  /// Returns the number of objects below a prefix that ends no folder.
  static func count(prefix: String, in target: FileTarget) throws -> Int {
    var count = 0
    var token: String?
    repeat {
      let path = target.list(
        prefix: prefix,
        limit: 1_000,
        fields: "nextPageToken,items(name)",
        token: token
      )
      let request = FileRequest(method: "GET", path: path, keepsAnswer: true)
      let answer = try FileRun.call(request, to: target)
      guard answer.status == 200 else {
        throw LoadError.refused("listing \(prefix): \(answer.errorName)")
      }
      let page = try ObjectPage(answer.body)
      count += page.names.count
      token = page.nextToken
    } while token != nil
    return count
  }
}
