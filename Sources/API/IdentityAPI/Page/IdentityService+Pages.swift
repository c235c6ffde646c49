import Authentication
import HTTPTypes

// The pages for people, below `/__/auth`:
//
//     GET  /action      where links in emails lead: new password, verification, change of address
//     GET  /handler     where a sign-in with a provider begins, and where providers lead back to
//     GET  /iframe      the frame in the app's page that hears how a sign-in ended
//     GET  /page.css, /icon.svg, and the scripts of PageFiles
//
// A link that is opened changes nothing: mail programs open links to look at them. The page asks first,
// and then makes the same calls as any client. A sign-in link leads on to the app at once, whose page asks.

extension IdentityService {
  /// Answers a request for a page or one of its files.
  func page(_ route: IdentityRoute, _ envelope: IdentityEnvelope) async throws -> IdentityAnswer {
    guard case .page(let name) = route, envelope.method == .get || envelope.method == .head else {
      throw IdentityFailure.notFound
    }
    switch name {
    case "action":
      var page = IdentityPage(type: "text/html", content: PageFiles.action(envelope.language))
      page.location = try await appPage(of: envelope)
      return .page(page)
    case "handler": return .page(try await handler(envelope, envelope.language))
    case "iframe": return .page(try await frame(envelope))
    case "icon.svg": return .page(IdentityPage(type: "image/svg+xml", content: PageFiles.icon))
    case "page.css": return .page(IdentityPage(type: "text/css", content: PageFiles.style))
    default:
      guard let script = PageFiles.scripts[name] else { throw IdentityFailure.notFound }
      return .page(IdentityPage(type: "text/javascript", content: script))
    }
  }
}

extension IdentityEnvelope {
  /// The page's language: the link's, else the browser's.
  fileprivate var language: CodeEmail.Language {
    CodeEmail.language(of: parameter("lang") ?? locale)
  }
}
