import Controller
import People

/// What callers may see, looked up once for each of them until users or rights change.
struct KnownReaders: Sendable {
    /// What one may see from a moment on, until a right begins or ends.
    private struct Known {
        let reader: Reader
        let since: Int64

        func counts(at now: Int64) -> Bool { since <= now && reader.validUntil.map { now < $0 } ?? true }
    }

    /// More are forgotten and looked up again.
    private static let capacity = 256

    private var table = AccessTable()
    private var known: [Caller?: Known] = [:]

    /// - Parameters:
    ///   - caller: `nil` for who is not identified, and sees nothing.
    ///   - now: Milliseconds since 1970, UTC.
    mutating func reader(for caller: Caller?, in state: ControllerState, at now: Int64) -> Reader {
        if !table.isCopy(of: state.people) { (table, known) = (state.people, [:]) }
        if let known = known[caller], known.counts(at: now) { return known.reader }
        let reader = state.reader(for: caller, at: now)
        if known.count >= Self.capacity { known = [:] }
        known[caller] = Known(reader: reader, since: now)
        return reader
    }
}
