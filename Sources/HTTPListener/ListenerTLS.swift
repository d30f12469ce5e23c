import NIOConcurrencyHelpers
package import NIOCore
package import NIOSSL
import OperatingSystem

/// The certificate of a listener, renewed without a restart.
///
/// Its files are looked at when a connection begins, at most once a second. A new pair is used from then on;
/// connections that are open keep theirs. If the new pair cannot be used, the last good one stays in use.
///
/// Used from the event loops of all connections.
package final class ListenerTLS: Sendable {
    /// A change that somebody should hear of.
    package enum Event: Sendable, Hashable {
        /// The pair in use was replaced; it expires then, seconds since 1970-01-01 UTC.
        case renewed(expiry: Int)
        /// The new pair cannot be used, or the certificate in use has expired.
        case failed(String)
        /// What failed before is in order again.
        case recovered
    }

    private struct State {
        var pair: ListenerTLSPair
        var stamps: [FileStatus?]
        var lookedAt: NIODeadline
        /// Why the files cannot be used.
        var broken: String?
        var reported: String?
    }

    static let interval = TimeAmount.seconds(1)

    private let files: ListenerTLSFiles
    private let state: NIOLockedValueBox<State>
    /// Seconds since 1970-01-01 UTC.
    private let second: @Sendable () -> Int
    private let report: @Sendable (Event) -> Void

    /// - Parameter report: Called once for each change, on the event loop of a connection.
    /// - Throws: If the files cannot be used.
    package init(
        _ files: ListenerTLSFiles,
        now: NIODeadline = .now(),
        second: @escaping @Sendable () -> Int = { HTTPDate.now() },
        report: @escaping @Sendable (Event) -> Void
    ) throws(ListenerTLSError) {
        (self.files, self.second, self.report) = (files, second, report)
        // Before reading: what changes meanwhile is read again.
        let stamps = files.stamps
        let pair = try files.load()
        state = NIOLockedValueBox(State(pair: pair, stamps: stamps, lookedAt: now))
        reportChange()
    }

    /// For a new connection.
    package func context(at now: NIODeadline) -> NIOSSLContext {
        let known = state.withLockedValue { state -> [FileStatus?]? in
            guard now - state.lookedAt >= Self.interval else { return nil }
            state.lookedAt = now
            return state.stamps
        }
        if let known {
            let stamps = files.stamps
            if stamps != known { renew(stamps) }
            reportChange()
        }
        return state.withLockedValue { $0.pair.context }
    }

    private func renew(_ stamps: [FileStatus?]) {
        do throws(ListenerTLSError) {
            let pair = try files.load()
            state.withLockedValue { ($0.pair, $0.stamps, $0.broken) = (pair, stamps, nil) }
            report(.renewed(expiry: pair.expiry))
        } catch {
            state.withLockedValue { ($0.stamps, $0.broken) = (stamps, "\(error)") }
        }
    }

    private func reportChange() {
        let second = second()
        let event = state.withLockedValue { state -> Event? in
            let problem =
                state.broken.map { "\($0); the previous certificate stays in use" }
                ?? state.pair.problem(at: second)
            guard problem != state.reported else { return nil }
            state.reported = problem
            return problem.map { .failed($0) } ?? .recovered
        }
        if let event { report(event) }
    }
}
