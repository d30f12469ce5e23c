/// An event that only one slice knows.
package struct SliceEvent: Sendable, Hashable {
    package let value: any Sendable & Hashable
    let owner: any Slice.Type

    package init<Owner: Slice>(_ event: Owner.Event, of owner: Owner.Type) {
        (value, self.owner) = (event, owner)
    }

    package static func == (left: SliceEvent, right: SliceEvent) -> Bool {
        left.owner == right.owner && isEqual(left.value, right.value)
    }

    package func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}

/// A record that only one capability knows, and stores itself.
package struct SliceRecord: Sendable, Hashable {
    package let value: any Sendable & Hashable

    package init(_ value: some Sendable & Hashable) { self.value = value }

    package static func == (left: SliceRecord, right: SliceRecord) -> Bool {
        isEqual(left.value, right.value)
    }

    package func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}

/// Whether two values are of one type and equal.
///
/// Without `AnyHashable`, which looks for a conformance and makes a box each time: timers are looked up at every command.
private func isEqual<Value: Hashable>(_ left: Value, _ right: any Sendable & Hashable) -> Bool {
    right as? Value == left
}

extension Slice {
    package static func event(_ event: Event) -> ControllerEvent { .slice(SliceEvent(event, of: Self.self)) }

    /// A timer that causes an event when it is due.
    package static func timer(_ event: Event) -> ControllerTimer { .slice(SliceEvent(event, of: Self.self)) }
}
