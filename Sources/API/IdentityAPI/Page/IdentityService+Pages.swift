import Authentication
import FirestoreWire
import HTTPTypes

// The pages for people, below `/__/auth`:
//
//     GET  /action      where links in emails lead: new password, verification, change of address
//     GET  /handler     where providers lead back to: it hands their answer to the page that began
//     GET  /page.css, /icon.svg, /action.js, /handler.js
//
// A link that is opened changes nothing: mail programs open links to look at them. The page asks first,
// and then makes the same calls as any client.

extension IdentityService {
  /// Answers a request for a page or one of its files.
  func page(_ route: IdentityRoute, _ envelope: IdentityEnvelope) async throws -> IdentityAnswer {
    guard case .page(let name) = route, envelope.method == .get || envelope.method == .head else {
      throw IdentityFailure.notFound
    }
    switch name {
    case "action":
      return .page(IdentityPage(type: "text/html", content: PageFiles.action(envelope.language)))
    case "handler":
      return .page(IdentityPage(type: "text/html", content: PageFiles.handler(envelope.language)))
    case "icon.svg": return .page(IdentityPage(type: "image/svg+xml", content: PageFiles.icon))
    case "page.css": return .page(IdentityPage(type: "text/css", content: PageFiles.style))
    case "action.js":
      return .page(IdentityPage(type: "text/javascript", content: PageFiles.actionScript))
    case "handler.js":
      return .page(IdentityPage(type: "text/javascript", content: PageFiles.handlerScript))
    default: throw IdentityFailure.notFound
    }
  }
}

extension IdentityEnvelope {
  /// The page's language: the link's, else the browser's.
  fileprivate var language: CodeEmail.Language {
    CodeEmail.language(of: parameter("lang") ?? locale)
  }
}
