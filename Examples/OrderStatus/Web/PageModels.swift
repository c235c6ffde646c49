import OrderStatusCore
import SalesCore

/// The values of the templates of `Pages/`: one type a screen, texts only.

@MainActor
struct SignInModel {
  let email: String
  let error: String?
  let isBusy: Bool
  let asks: Bool

  init(_ model: SignInViewModel, asks: Bool) {
    (email, error, isBusy) = (model.email, model.error, model.isBusy)
    self.asks = asks
  }
}

@MainActor
struct StatusModel {
  struct Line {
    let name: String
    let value: String
  }

  struct Banner {
    let id: String
    let title: String
    let body: String
  }

  let asks: Bool
  let banner: Banner?
  let lines: [Line]
  let isEmpty: Bool
  let isUnreadable: Bool
  let isSilent: Bool
  let problem: String?
  let token: String?

  init(_ model: StatusViewModel, asks: Bool) {
    self.asks = asks
    banner = model.banner.map { Banner(id: $0.messageID, title: $0.title, body: $0.body) }
    let update = model.update
    lines = [
      Line(name: "Message Id", value: update?.messageID ?? model.unreadable ?? ""),
      Line(name: "Reason", value: update?.reason ?? ""),
      Line(name: "Order Id", value: update.map { "\($0.orderID)" } ?? ""),
      Line(name: "Status", value: update?.status ?? ""),
      Line(name: "Email", value: update?.email ?? ""),
    ]
    isUnreadable = model.unreadable != nil
    isEmpty = update == nil && !isUnreadable
    isSilent = model.allowsBanners == false
    (problem, token) = (model.problem, model.token)
  }
}
