/// Writes the tree of operators as text or JSON.
struct Explanation {
  let root: PlanNode
  let counts: Bool
  let memory: Int
  let isJSON: Bool

  var text: String { isJSON ? "{\"plan\":\(json(root))\(footer)}" : plain }

  private var footer: String { counts ? ",\"peakMemoryBytes\":\(memory)" : "" }

  private var plain: String {
    var lines = ["Execution plan:"]
    add(root, depth: 0, to: &lines)
    if counts { lines.append("peak memory: \(memory) bytes") }
    return lines.joined(separator: "\n")
  }

  private func add(_ node: PlanNode, depth: Int, to lines: inout [String]) {
    var line = String(repeating: "  ", count: depth) + "- " + node.name
    if !node.detail.isEmpty { line += " " + node.detail }
    if counts {
      line += " (rows: \(node.rows), bytes: \(node.bytes), time: \(milliseconds(node.ownTime)) ms)"
    }
    lines.append(line)
    for child in node.children { add(child, depth: depth + 1, to: &lines) }
  }

  private func json(_ node: PlanNode) -> String {
    var parts = ["\"name\":\(quoted(node.name))"]
    if !node.detail.isEmpty { parts.append("\"detail\":\(quoted(node.detail))") }
    if counts {
      parts.append("\"rows\":\(node.rows)")
      parts.append("\"bytes\":\(node.bytes)")
      parts.append("\"milliseconds\":\(milliseconds(node.ownTime))")
    }
    if !node.children.isEmpty {
      parts.append("\"children\":[\(node.children.map(json).joined(separator: ","))]")
    }
    return "{\(parts.joined(separator: ","))}"
  }

  /// With three digits behind the point.
  private func milliseconds(_ time: Duration) -> String {
    let (seconds, attoseconds) = time.components
    let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    let rest = String(microseconds % 1_000)
    return "\(microseconds / 1_000)." + String(repeating: "0", count: 3 - rest.count) + rest
  }

  private func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case _ where scalar.value < 0x20: result += " "
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
