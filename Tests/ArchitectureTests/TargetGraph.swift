/// The picture of the targets in docs/targets.md: layers as boxes, an arrow for each use that no other implies.
struct TargetGraph {
  private let manifest: Manifest

  init(manifest: Manifest) { self.manifest = manifest }

  /// The picture in Mermaid's language, as a fenced block.
  var lines: [String] {
    var lines = ["```mermaid", "graph BT"]
    for layer in Manifest.layers {
      let members = manifest.targets.filter { $0.layer == layer }.map(\.name)
      lines += ["  subgraph \(layer)"] + members.map { "    \($0)" } + ["  end"]
    }
    for target in manifest.targets {
      lines += direct(target).map { "  \(target.name) --> \($0)" }
    }
    return lines + ["```"]
  }

  /// Uses of a target that none of its other uses has already.
  private func direct(_ target: Manifest.Target) -> [String] {
    target.ours.filter { used in
      !target.ours.contains { $0 != used && reachable(from: $0).contains(used) }
    }
  }

  /// All that a target uses, directly or by way of others.
  private func reachable(from name: String) -> Set<String> {
    var found: Set<String> = []
    var open = manifest[name]?.ours ?? []
    while let next = open.popLast() {
      guard found.insert(next).inserted else { continue }
      open += manifest[next]?.ours ?? []
    }
    return found
  }
}
