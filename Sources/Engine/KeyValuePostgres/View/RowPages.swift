import KeyValueStore

/// The rows of a range in one direction, fetched in pages that grow while they are walked.
struct RowPages {
  /// A row's key and value, lent until another page is fetched.
  struct Row {
    let key: UnsafeRawBufferPointer
    let value: UnsafeRawBufferPointer
  }

  /// Rows from an edge on, without a gap.
  private struct Page {
    let rows: PostgresResult
    /// The edge at which it begins: the lower bound, or the upper one when reversed.
    let edge: [UInt8]?
    /// True if there are no further rows in the range.
    let isLast: Bool

    func key(_ row: Int) -> UnsafeRawBufferPointer { rows.bytes(row, 0) }
  }

  private let range: KeyRange
  private let isReversed: Bool
  private let reader: TableReader
  private var page: Page?
  private var limit = Self.firstLimit

  private static let firstLimit = 32
  private static let largestLimit = 1_024

  init(of range: KeyRange, reversed: Bool, reader: TableReader) {
    self.range = range
    isReversed = reversed
    self.reader = reader
  }

  /// The first row at or above `edge`, or when reversed the last one below it; nil is no bound.
  mutating func first(from edge: [UInt8]?) throws -> Row? {
    if let page, covers(page, edge) { return row(of: page, from: edge) }
    limit =
      page.map { $0.rows.rowCount > 0 && isNext(edge, to: $0) } ?? false
      ? min(limit * 4, Self.largestLimit) : Self.firstLimit
    let rest =
      isReversed
      ? KeyRange(lower: range.lower, upper: edge) : KeyRange(lower: edge ?? [], upper: range.upper)
    let (rows, isLast) = try reader.page(of: rest, reversed: isReversed, limit: limit)
    let fetched = Page(rows: rows, edge: edge, isLast: isLast)
    page = fetched
    return row(of: fetched, from: edge)
  }

  /// Returns true if the first row from there on is in the page, or in no page.
  private func covers(_ page: Page, _ edge: [UInt8]?) -> Bool {
    guard let edge else { return page.edge == nil && (page.isLast || page.rows.rowCount > 0) }
    if let start = page.edge {
      let order = KeyOrder.compare(edge, start)
      guard isReversed ? order <= 0 : order >= 0 else { return false }
    } else if !isReversed {
      return false
    }
    guard !page.isLast else { return true }
    guard page.rows.rowCount > 0 else { return false }
    let order = KeyOrder.compare(page.key(page.rows.rowCount - 1), edge)
    return isReversed ? order < 0 : order >= 0
  }

  /// Returns true if a walk continues behind the page.
  private func isNext(_ edge: [UInt8]?, to page: Page) -> Bool {
    guard let edge else { return false }
    let last = page.key(page.rows.rowCount - 1)
    return KeyOrder.compare(last, isReversed ? edge : Array(edge.dropLast())) == 0
  }

  private func row(of page: Page, from edge: [UInt8]?) -> Row? {
    var (low, high) = (0, page.rows.rowCount)
    while low < high {
      let middle = (low + high) / 2
      if isBeyond(page.key(middle), edge) { high = middle } else { low = middle + 1 }
    }
    guard low < page.rows.rowCount else { return nil }
    return Row(key: page.key(low), value: page.rows.bytes(low, 1))
  }

  /// Returns true if a key lies at or beyond the edge.
  private func isBeyond(_ key: UnsafeRawBufferPointer, _ edge: [UInt8]?) -> Bool {
    guard let edge else { return true }
    let order = KeyOrder.compare(key, edge)
    return isReversed ? order < 0 : order >= 0
  }
}
