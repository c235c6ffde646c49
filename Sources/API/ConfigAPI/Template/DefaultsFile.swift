import BaseJSON
import ConfigTemplates

/// The files in which apps carry their default values.
enum DefaultsFile: String {
  case json = "JSON"
  /// Android's.
  case xml = "XML"
  /// Apple's.
  case plist = "PLIST"

  var contentType: String {
    self == .json ? "application/json; charset=UTF-8" : "application/xml; charset=UTF-8"
  }

  /// The file of those values.
  func text(of values: [(key: String, value: String)]) -> String {
    switch self {
    case .json: JSONValue.object(values.map { .init($0.key, .string($0.value)) }).printed() + "\n"
    case .xml:
      """
      <?xml version="1.0" encoding="utf-8"?>
      <defaultsMap>
      \(values.map(Self.entry).joined())</defaultsMap>

      """
    case .plist:
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      <dict>
      \(values.map(Self.pair).joined())</dict>
      </plist>

      """
    }
  }

  private static func entry(_ key: String, _ value: String) -> String {
    "  <entry>\n    <key>\(escaped(key))</key>\n    <value>\(escaped(value))</value>\n  </entry>\n"
  }

  private static func pair(_ key: String, _ value: String) -> String {
    "  <key>\(escaped(key))</key>\n  <string>\(escaped(value))</string>\n"
  }

  /// A text inside an element; control characters, which XML cannot have, are left out.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\r": result += "&#13;"
      case _ where scalar.value < 0x20 && scalar != "\n" && scalar != "\t": break
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
