import Foundation
import Observation
import RESTClient

/// The screen "Recibos": what the server has and what this device still keeps, newest first.
@MainActor @Observable
package final class ReceiptsViewModel {
  package struct Row: Sendable, Equatable, Identifiable {
    package let receipt: Receipt
    package let isSynchronized: Bool
    /// Why the server refused it.
    package let refusal: String?
    package let photo: Picture?

    package var id: UUID { receipt.id }
    package var date: String { ReceiptDate.text(receipt.date) }
    package var status: String { isSynchronized ? "SINCRONIZADO" : "NÃO SINCRONIZADO" }
  }

  package private(set) var rows: [Row] = []
  /// True while the server's receipts are not known; until then only this device's show.
  package private(set) var isLoading = true
  package private(set) var message: String?
  package private(set) var profile: Picture?

  @ObservationIgnored private let environment: PontoEnvironment
  @ObservationIgnored private var onServer: [Receipt] = []

  package init(_ environment: PontoEnvironment) {
    self.environment = environment
    profile = environment.profile.load()
  }

  /// Shows what is known, then asks the server.
  ///
  /// To be called each time the screen appears.
  package func appear() async {
    show()
    do {
      onServer = try await environment.service.receipts()
      message = nil
    } catch {
      message = "Sem conexão com o servidor. Mostrando o que já foi carregado."
    }
    isLoading = false
    show()
  }

  /// Sends what waits, refused receipts included, and loads the list anew.
  package func synchronize() async {
    do {
      try environment.outbox.forgetRefusals()
      _ = try await environment.synchronizer.synchronize()
    } catch {
      reportUnreadable()
    }
    await appear()
  }

  /// Deletes a receipt, here and on the server, once the person has proved to be the owner.
  package func delete(_ id: UUID) async {
    guard
      await environment.authenticator.authenticate(
        reason: "É necessário autenticação para apagar um recibo"
      )
    else { return }
    do {
      try environment.outbox.addDeletion(of: id)
      show()
      _ = try await environment.synchronizer.synchronize()
    } catch {
      message = "Não foi possível apagar o recibo"
    }
    await appear()
  }

  package func setProfile(_ picture: Picture) {
    do {
      try environment.profile.save(picture)
      profile = picture
    } catch {
      message = "Não foi possível guardar a foto"
    }
  }

  /// The outbox's file does not answer; what was shown stays.
  func reportUnreadable() {
    message = "Não foi possível ler os registros deste aparelho"
  }

  private func show() {
    do {
      try refresh()
    } catch {
      reportUnreadable()
    }
  }

  private func refresh() throws {
    let entries = try environment.outbox.entries()
    var refusals: [UUID: String] = [:]
    var deleted: Set<UUID> = []
    var waiting: [Receipt] = []
    for entry in entries {
      switch (entry.work, entry.refusal) {
      case (.post(let receipt), let refusal):
        waiting.append(receipt)
        refusals[receipt.id] = refusal
      case (.delete(let id), nil): deleted.insert(id)
      case (.delete(let id), let refusal?): refusals[id] = refusal
      }
    }
    let kept = Set(waiting.map(\.id))
    let all = onServer.filter { !kept.contains($0.id) } + waiting
    rows = try all.enumerated().filter { !deleted.contains($0.element.id) }
      .sorted { ($0.element.date, $0.offset) > ($1.element.date, $1.offset) }
      .map { _, receipt in
        Row(
          receipt: receipt,
          isSynchronized: !kept.contains(receipt.id),
          refusal: refusals[receipt.id],
          photo: try environment.outbox.photo(of: receipt.id).flatMap(Picture.init)
        )
      }
  }
}
