import FirebaseFirestore
import Foundation
import Observation

/// Dates and custom mapping: the live list of languages, a form, and when this person was here.
@MainActor @Observable
package final class LanguagesViewModel {
  package let list: LiveCollection<ProgrammingLanguage>
  package var draft = ProgrammingLanguage.empty
  /// The text for the year in the form; the language has it once it is a year.
  package var yearText: String
  package private(set) var formError: String?
  /// nil where the document does not exist.
  package private(set) var visit: Visit?
  package private(set) var visitError: MappingError?
  /// Why the visit follows the server no more; nil while it does.
  package private(set) var visitStopped: MappingError?
  @ObservationIgnored private let visitDocument: DocumentReference
  @ObservationIgnored private var listener: (any ListenerRegistration)?

  package init(_ database: Firestore, person: String) {
    list = LiveCollection(database.collection("programming-languages")) {
      ($0.name, $0.id ?? "") < ($1.name, $1.id ?? "")
    }
    yearText = String(ProgrammingLanguage.empty.releaseYear)
    visitDocument = database.collection("visits").document(person)
  }

  package func subscribe() {
    list.subscribe()
    followVisit()
  }

  private func followVisit() {
    guard listener == nil else { return }
    listener = visitDocument.addSnapshotListener { [weak self] snapshot, error in
      if let snapshot { self?.take(snapshot) }
      if let error { self?.visitStopped = MappingError(error) }
    }
  }

  package func unsubscribe() {
    list.unsubscribe()
    endVisit()
  }

  private func endVisit() {
    listener?.remove()
    listener = nil
  }

  /// Follows the server again after a listener, of the list or of the visit, has ended with an error.
  package func tryAgain() {
    list.tryAgain()
    guard visitStopped != nil else { return }
    visitStopped = nil
    endVisit()
    followVisit()
  }

  package func add() {
    guard let year = Int(yearText), let date = ProgrammingLanguage.date(year: year) else {
      formError = "The year must be a number from 1 to 9999"
      return
    }
    guard !draft.name.isEmpty else {
      formError = "The language needs a name"
      return
    }
    draft.year = date
    list.add(draft)
    draft = .empty
    yearText = String(draft.releaseYear)
    formError = nil
  }

  /// Stores that this person is here now; the server says when that is.
  package func noteVisit(remark: String) {
    do {
      let visit = Visit(remark: remark.isEmpty ? nil : remark)
      try visitDocument.setData(from: visit) { [weak self] error in
        if let error { self?.visitError = MappingError(error) }
      }
    } catch {
      visitError = MappingError(error)
    }
  }

  /// As an optional, a document that does not exist is nil and no error.
  private func take(_ snapshot: DocumentSnapshot) {
    do {
      visit = try snapshot.data(as: Visit?.self)
      visitError = nil
    } catch {
      visitError = MappingError(error)
    }
  }
}
