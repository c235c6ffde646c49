/// An element of XML: a text, or elements in their order.
///
/// As much of XML as the protocols of storage have: no attributes but a namespace, no mixed content.
package struct XMLElement: Sendable, Equatable {
  /// Without a prefix.
  package var name: String
  /// The text between the tags where there are no elements.
  package var text: String
  /// The elements within it, in their order; empty if it has a text.
  package var children: [XMLElement]

  /// An element with a text.
  package init(_ name: String, _ text: String = "") {
    (self.name, self.text, children) = (name, text, [])
  }

  /// An element with elements.
  package init(_ name: String, _ children: [XMLElement]) {
    (self.name, text, self.children) = (name, "", children)
  }

  /// The first child of that name.
  package subscript(name: String) -> XMLElement? { children.first { $0.name == name } }

  /// All children of that name.
  package func all(_ name: String) -> [XMLElement] { children.filter { $0.name == name } }

  /// The document, with a namespace for all of it.
  package func document(namespace: String? = nil) -> String {
    var text = "<?xml version='1.0' encoding='UTF-8'?>"
    write(to: &text, attributes: namespace.map { " xmlns='\($0)'" } ?? "")
    return text
  }

  private func write(to output: inout String, attributes: String = "") {
    output += "<\(name)\(attributes)>"
    if children.isEmpty {
      Self.escape(text, to: &output)
    } else {
      for child in children { child.write(to: &output) }
    }
    output += "</\(name)>"
  }

  /// Characters that XML cannot have become the replacement character.
  private static func escape(_ text: String, to output: inout String) {
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": output += "&amp;"
      case "<": output += "&lt;"
      case ">": output += "&gt;"
      case "\"": output += "&quot;"
      case "\r": output += "&#13;"
      case "\n", "\t": output.unicodeScalars.append(scalar)
      case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF:
        output += "\u{FFFD}"
      default: output.unicodeScalars.append(scalar)
      }
    }
  }
}
