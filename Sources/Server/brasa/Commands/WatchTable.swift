import BaseText
import FirestoreModel
import FirestoreWire
import Synchronization

/// A watch as a table on the terminal, redrawn with every change.
final class WatchTable: WatchView {
  private struct State {
    var snapshot: WatchSnapshot?
    /// The last changes, which stay marked until something else changes.
    var marks: [DocumentName: WatchSnapshot.Change] = [:]
    var changeCount = 0
    var lost: String?
    var screen: TerminalScreen?
  }

  private let title: String
  private let query: WatchQuery
  private let state: Mutex<State>

  init(title: String, query: WatchQuery) {
    self.title = title
    self.query = query
    state = Mutex(State(screen: TerminalScreen()))
    redraw()
  }

  func show(_ snapshot: WatchSnapshot) {
    state.withLock { state in
      state.snapshot = snapshot
      state.lost = nil
      if !snapshot.changes.isEmpty, !snapshot.isFirst {
        state.marks = snapshot.changes
        state.changeCount += snapshot.changes.count
      }
      draw(state)
    }
  }

  func showLost(_ reason: String) {
    state.withLock { state in
      state.lost = reason
      draw(state)
    }
  }

  func redraw() { state.withLock { draw($0) } }

  func close() {
    state.withLock { state in
      state.screen?.close()
      state.screen = nil
    }
  }

  private func draw(_ state: State) {
    guard let screen = state.screen else { return }
    let size = TerminalScreen.size()
    var lines = [TextTable.fitted(title, to: size.columns, style: .bold)]
    if let snapshot = state.snapshot {
      let rows = max(1, size.rows - 4)
      lines += table(snapshot, marks: state.marks, rows: rows, columns: size.columns)
      let hidden = snapshot.documents.count - rows
      if hidden > 0 {
        lines.append(TextTable.fitted("… \(hidden) more", to: size.columns, style: .dim))
      }
    }
    lines.append(TextTable.fitted(footer(state), to: size.columns, style: .dim))
    screen.draw(Array(lines.prefix(size.rows)))
  }

  private func footer(_ state: State) -> String {
    if let lost = state.lost { return ValueText.safe("connection lost: \(lost); reconnecting") }
    guard let snapshot = state.snapshot else { return "connecting…   Ctrl-C ends" }
    let time = snapshot.readTime.timestamp
    let count = snapshot.documents.count
    return
      "\(count.counting("document")) · \(state.changeCount.counting("change")) · as of"
      + " \(TimestampText.format(seconds: time.seconds, nanos: time.nanos)) · Ctrl-C ends"
  }

  private func table(
    _ snapshot: WatchSnapshot,
    marks: [DocumentName: WatchSnapshot.Change],
    rows: Int,
    columns: Int
  ) -> [String] {
    let shown = snapshot.documents.prefix(rows)
    let fields = fields(of: Array(shown))
    var table = TextTable(
      header: [query.isGroup ? "document" : "id"] + fields.map(\.canonicalString)
    )
    for document in shown {
      let id = query.isGroup ? document.name.path.string : document.name.path.lastID?.string ?? ""
      let cells = fields.map { field in
        document.fields.value(at: field).map(ValueText.cell) ?? ""
      }
      table.add([ValueText.safe(id)] + cells, mark: Self.mark(marks[document.name]))
    }
    return table.lines(width: columns)
  }

  private static func mark(_ change: WatchSnapshot.Change?) -> TextTable.Mark {
    switch change {
    case .added: .new
    case .modified: .changed
    case .removed, nil: .none
    }
  }

  /// The columns: the query's fields, then the most common fields, then by name.
  private func fields(of documents: [DecodedDocument]) -> [FieldPath] {
    var counts: [Text: Int] = [:]
    for document in documents {
      for entry in document.fields.entries { counts[entry.key, default: 0] += 1 }
    }
    let others = counts.keys.map { FieldPath([$0]) }
      .filter { !query.namedFields.contains($0) }
      .sorted {
        let (left, right) = (counts[$0.segments[0]] ?? 0, counts[$1.segments[0]] ?? 0)
        return left == right ? $0 < $1 : left > right
      }
    return query.namedFields + others
  }
}
