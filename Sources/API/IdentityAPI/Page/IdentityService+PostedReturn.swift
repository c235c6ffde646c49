import BaseJSON
import BaseText
import HTTPTypes

extension IdentityService {
  /// The bytes that a provider's form may have.
  static let returnLimit = 64 << 10

  /// The fields of a provider's response for the client.
  static let returnedFields = ["code", "state", "error", "user"]

  /// The way on from a provider that posts its response, as Apple does: the same page with the response in its address.
  ///
  /// The state in it is checked when the client brings the code.
  func postedReturn(_ body: JSONValue) throws -> IdentityAnswer {
    guard case .object(let members) = body else { throw IdentityFailure.notFound }
    let fields = Self.returnedFields.compactMap { name -> (String, String)? in
      guard case .string(let value)? = members.first(where: { $0.key == name })?.value,
        value.utf8.count <= 2_048
      else { return nil }
      return (name, value)
    }
    var page = IdentityPage(type: "text/html", content: "")
    page.location = "handler?\(PercentEncoding.form(fields))"
    return .page(page)
  }
}
