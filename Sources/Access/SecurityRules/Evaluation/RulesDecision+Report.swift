// The explanation of a decision for operators: the deciding statement, and the values of its parts.

extension RulesDecision {
  /// The decision in lines: each statement that was tried, and below it the values that its
  /// condition saw, outermost first.
  ///
  /// Needs an evaluation that was asked to observe.
  package var report: [String] {
    if attempts.isEmpty { return ["no allow statement matches the path and the method"] }
    return attempts.flatMap(\.report)
  }
}

extension RulesAttempt {
  fileprivate var report: [String] {
    let text = Self.oneLine(source.text(range))
    return ["\(verdict) by line \(position.line): \(text)"] + values.map { "    " + $0 }
  }

  private var verdict: String {
    switch outcome {
    case .allowed: "allowed"
    case .notTrue: "not allowed"
    case .failed(let fault):
      "not allowed, error at line \(source.position(of: fault.range.lowerBound).line)"
    }
  }

  /// Each different part once; whole maps tell nothing.
  private var values: [String] {
    var seen: Set<String> = []
    var lines: [(text: String, value: String)] = []
    for observation in observations.reversed() {
      let isMap = observation.value.hasPrefix("{")
      let text = Self.oneLine(observation.text)
      guard !isMap, seen.insert("\(text)\n\(observation.value)").inserted else { continue }
      lines.append((text, observation.value))
    }
    return lines.map { "\($0.text) = \($0.value)" }
  }

  /// Line breaks and the blanks around them become one blank.
  private static func oneLine(_ text: String) -> String {
    text.split(whereSeparator: \.isNewline)
      .map { line in
        let start = line.drop { $0 == " " || $0 == "\t" }
        return String(start.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
      }
      .joined(separator: " ")
  }
}
