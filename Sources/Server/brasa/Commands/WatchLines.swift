import FirestoreModel
import Foundation
import Synchronization

/// A watch as lines on standard output: `+` for added, `~` for changed and `-` for removed
/// documents.
final class WatchLines: WatchView {
  private let isGroup: Bool
  private let isLost = Mutex(false)

  init(isGroup: Bool) { self.isGroup = isGroup }

  func show(_ snapshot: WatchSnapshot) {
    isLost.withLock { $0 = false }
    var text = ""
    for (name, change) in snapshot.changes where change == .removed {
      text += "- \(label(name))\n"
    }
    for document in snapshot.documents {
      guard let change = snapshot.changes[document.name] else { continue }
      let mark = change == .added ? "+" : "~"
      text += "\(mark) \(label(document.name)) \(ValueText.line(of: .map(document.fields)))\n"
    }
    if !text.isEmpty { FileHandle.standardOutput.write(Data(text.utf8)) }
  }

  func showLost(_ reason: String) {
    let isNew = isLost.withLock { lost in
      defer { lost = true }
      return !lost
    }
    guard isNew else { return }
    Terminal.note("connection lost: \(reason); reconnecting")
  }

  func redraw() {}

  func close() {}

  private func label(_ name: DocumentName) -> String {
    ValueText.safe(isGroup ? name.path.string : name.path.lastID?.string ?? "")
  }
}
