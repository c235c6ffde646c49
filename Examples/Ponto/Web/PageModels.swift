import Foundation
import PontoCore

/// The values of the templates of `Pages/`: one type a screen, texts only.

@MainActor
struct ClockModel {
  let time: String
  let message: String?
  let isBusy: Bool

  init(_ model: ClockViewModel) {
    time = model.time
    message = model.message
    isBusy = model.isBusy
  }
}

@MainActor
struct ReceiptsModel {
  struct Row {
    let id: String
    let date: String
    let status: String
    let style: String
    let refusal: String?
    let photo: String?
    let map: String?
  }

  struct Question {
    let reason: String
    let error: String?
  }

  let rows: [Row]
  let isLoading: Bool
  let isEmpty: Bool
  let message: String?
  let profile: String?
  let question: Question?

  init(_ model: ReceiptsViewModel, _ authenticator: PINAuthenticator) {
    rows = model.rows.map(Row.init)
    isLoading = model.isLoading
    isEmpty = !model.isLoading && model.rows.isEmpty
    message = model.message
    profile = model.profile?.dataURL
    question = authenticator.reason.map { Question(reason: $0, error: authenticator.error) }
  }
}

extension ReceiptsModel.Row {
  fileprivate init(_ row: ReceiptsViewModel.Row) {
    id = row.id.uuidString.lowercased()
    date = row.date
    status = row.status
    style = row.isSynchronized ? "good" : "bad"
    refusal = row.refusal
    photo = row.photo?.dataURL
    map = row.receipt.place.mapAddress
  }
}

extension Picture {
  fileprivate var dataURL: String { "data:\(kind.rawValue);base64,\(bytes.base64EncodedString())" }
}

extension Place {
  /// The address of a map with a pin at the place; nil when it is unknown or not on earth.
  fileprivate var mapAddress: String? {
    guard self != .unknown, isOnEarth else { return nil }
    let point = "mlat=\(latitude)&mlon=\(longitude)"
    return "https://www.openstreetmap.org/?\(point)#map=17/\(latitude)/\(longitude)"
  }
}
