import Foundation

/// The targets that Package.swift names, as its text says them.
struct Manifest {
  /// One target of `Sources`.
  struct Target {
    let name: String
    /// The folder below `Sources` in which its folder lies.
    let layer: String
    /// Targets of ours that it uses, in the manifest's order.
    let ours: [String]
    /// Modules of other packages that it uses, in the manifest's order.
    let others: [String]

    var folder: String { "Sources/\(layer)/\(name)" }
  }

  /// Layers from the bottom up: a target uses targets of its own layer and of those before it.
  ///
  /// The SDK stands beside the server and uses the vocabulary alone.
  static let layers = [
    "Base", "Vocabulary", "Engine", "Access", "Services", "API", "Server", "SDK",
  ]

  let targets: [Target]

  init(text: String) {
    let products = Self.products(in: text)
    let calls = /\.(?:library|program|headers)\(\s*"(\w+)\/([\w-]+)"/
    var found: [Target] = []
    for call in text.matches(of: calls) {
      let uses = Self.uses(in: Self.arguments(of: text[call.range.lowerBound...]))
      found.append(
        Target(
          name: String(call.2),
          layer: String(call.1),
          ours: uses.compactMap { $0.literal ?? ($0.identifier == "crypt" ? "CCrypt" : nil) },
          others: uses.compactMap { $0.identifier.flatMap { products[$0] } }
        )
      )
    }
    for call in text.matches(of: /\.systemLibrary\(\s*name: "(\w+)",\s*path: "Sources\/(\w+)\//) {
      found.append(Target(name: String(call.1), layer: String(call.2), ours: [], others: []))
    }
    targets = found
  }

  subscript(name: String) -> Target? { targets.first { $0.name == name } }

  /// The modules of other packages by the name of their constant.
  private static func products(in text: String) -> [String: String] {
    let lines = text.matches(of: /let (\w+) = product\("(\w+)", of:/)
    return Dictionary(uniqueKeysWithValues: lines.map { (String($0.1), String($0.2)) })
  }

  /// A call's text from its name to the parenthesis that ends it.
  private static func arguments(of text: Substring) -> Substring {
    var depth = 0
    for index in text.indices {
      switch text[index] {
      case "(": depth += 1
      case ")":
        depth -= 1
        if depth == 0 { return text[...index] }
      default: break
      }
    }
    return text
  }

  private static func uses(in call: Substring) -> [(literal: String?, identifier: String?)] {
    guard let list = call.firstMatch(of: /uses: \[([^\]]*)\]/) else { return [] }
    return list.1.matches(of: /"([\w-]+)"|(\w+)/).map {
      ($0.1.map(String.init), $0.2.map(String.init))
    }
  }
}
