import HTTPListener
import NIOConcurrencyHelpers

/// What a listener's certificate reported.
final class RecordedEvents: Sendable {
    private let events = NIOLockedValueBox<[ListenerTLS.Event]>([])

    var all: [ListenerTLS.Event] { events.withLockedValue(\.self) }
    var add: @Sendable (ListenerTLS.Event) -> Void {
        { event in self.events.withLockedValue { $0.append(event) } }
    }
}
