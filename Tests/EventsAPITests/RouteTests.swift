import Testing

@testable import EventsAPI
