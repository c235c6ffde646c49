import Foundation

/// An app that a browser shows: view models on the server, drawn as a page.
///
/// The host draws `view` whenever an observed property that it read has changed, and sends what
/// the person does to `perform`. Both happen on the main actor, so an app is written as it would
/// be for a screen.
@MainActor
package protocol LiveApp: AnyObject, Sendable {
  /// The current content of the page.
  var view: LiveView { get }

  /// Carries out what the person did. Actions start in the order in which they were done; one
  /// that waits does not hold up the next.
  func perform(_ action: LiveAction) async

  /// A picture that the page shows as `/live/files/NAME`; nil where there is none of that name for this person.
  func file(_ name: String) async -> LiveFile?

  /// Work of the app itself, for as long as it lives: loading, clocks. Cancelled at the end.
  func run() async
}

extension LiveApp {
  package func run() async {}

  package func file(_ name: String) async -> LiveFile? { nil }
}

/// A file of one person's app.
package struct LiveFile: Sendable {
  package let data: Data
  package let contentType: String

  package init(data: Data, contentType: String) {
    self.data = data
    self.contentType = contentType
  }
}

/// A template and what fills it.
package struct LiveView {
  package let template: String
  package let model: Any

  package init(template: String, model: Any) {
    self.template = template
    self.model = model
  }
}

/// Something a person did: the name of a form or a button, and the form's fields.
package struct LiveAction: Sendable {
  package let name: String
  package let fields: [String: String]
  /// The page's own address as the browser calls it, such as `http://127.0.0.1:8080`.
  package let origin: String

  package init(name: String, fields: [String: String] = [:], origin: String = "") {
    self.name = name
    self.fields = fields
    self.origin = origin
  }

  /// A field's text; empty when the form has no such field.
  package subscript(field: String) -> String { fields[field] ?? "" }

  /// A file from a form: the page sends it as a `data:` URL in base 64.
  package func file(_ field: String) -> Data? {
    guard let text = fields[field], text.hasPrefix("data:"),
      let comma = text.range(of: ";base64,")
    else { return nil }
    return Data(base64Encoded: String(text[comma.upperBound...]))
  }
}
