import Accounts
import Bindings
import JSON
import Logging
import People
import RateLimiting
import Threading

/// The last states of things: known at once, and stored soon after.
///
/// Many things may report many times a second, so states are stored together, of each thing the newest alone, and at most once
/// a minute while they go on. May be used from any thread.
/// - Source: contrib/contract/bindings.md, "States".
final class ReportedStates: Sendable {
    /// What became of an upload.
    ///
    /// A first state is to be stored at once: whether there was one decides an answer.
    enum Acceptance: Sendable {
        case tooMany
        /// The thing's data would have too many fields, or too many bytes.
        case tooLarge(fields: Int, bytes: Int)
        /// - Parameter current: What became the thing's state; `nil` if that is newer.
        case accepted(isFirst: Bool, current: StateUpload.Sample?)
    }

    /// Uploads of a thing in a second, and at once.
    static let perSecond = 10
    static let atOnce = 50
    /// How soon what could not be stored is tried again.
    private static let pause = Duration.seconds(2)
    /// States that are stored as one transaction: the node's loop may have to wait for it.
    private static let batch = 200

    private struct Known {
        /// When it had the last state, milliseconds since 1970; `nil` before the first.
        var at: Int64?
        var bucket = TokenBucket(capacity: Double(atOnce), perSecond: Double(perSecond))
        /// What it has reported into its data; `nil` while that is not known.
        var fields: ReportedFields?
        /// The last data of a thing that the Flare server keeps.
        var data: JSONObject?
    }

    private struct State {
        var known: [BindingID: Known] = [:]
        /// What is still to be stored, and what is being stored.
        var waiting: [BindingID: BindingReport] = [:]
        var leaving: [BindingID: BindingReport] = [:]
        var pace: StoringPace

        mutating func add(_ report: BindingReport) {
            waiting[report.id] = waiting[report.id].map { $0.followed(by: report) } ?? report
        }
    }

    private let state: Locked<State>
    private let store: AccountsStore
    private let logger: Logger
    private let wakes: AsyncStream<Void>
    private let port: AsyncStream<Void>.Continuation

    /// - Throws: If the bindings cannot be read.
    init(
        _ store: AccountsStore,
        pace: StoringPace = StoringPace(),
        logger: Logger
    ) throws(AccountsError) {
        (self.store, self.logger) = (store, logger)
        (wakes, port) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        var known: [BindingID: Known] = [:]
        for binding in try store.bindings().map(\.binding) where binding.state != nil {
            let isFollowed = binding.route == .flare && binding.thing != nil
            known[binding.id] = Known(at: binding.stateAt, data: isFollowed ? binding.state : nil)
        }
        state = Locked(State(known: known, pace: pace))
    }

    // MARK: What comes

    /// Takes states within the limit of how many a thing may report.
    ///
    /// - Parameters:
    ///   - isHeard: Whether the thing itself has sent them.
    ///   - isData: Whether the newest becomes a part of the thing's data.
    ///   - now: Milliseconds since 1970.
    func accept(
        _ upload: StateUpload,
        of id: BindingID,
        isHeard: Bool,
        isData: Bool = false,
        at now: Int64
    ) -> Acceptance {
        let acceptance = state.withLock { state -> Acceptance in
            var known = state.known[id] ?? Known()
            defer { state.known[id] = known }
            guard known.bucket.take(Double(upload.cost), at: now) else { return .tooMany }
            let (isFirst, current) = (known.at == nil, upload.current(after: known.at))
            if isData, let current, let fields = known.fields {
                var next = fields
                next.add(current.state)
                guard fields.allows(next) else { return .tooLarge(fields: next.count, bytes: next.bytes) }
                known.fields = next
            }
            if let current { known.at = current.at }
            state.add(
                BindingReport(id, state: current?.state, at: current?.at, seen: isHeard ? now : nil)
            )
            return .accepted(isFirst: isFirst, current: current)
        }
        port.yield()
        return acceptance
    }

    /// Whether a thing may report one more upload now, which this does not count.
    func mayReport(_ id: BindingID, at now: Int64) -> Bool {
        state.withLock { state in (state.known[id]?.bucket.level(at: now) ?? 1) >= 1 }
    }

    /// Whether it is known how large the data of a thing at the edge are.
    func knowsFields(of id: BindingID) -> Bool { state.withLock { $0.known[id]?.fields != nil } }

    /// Notes the data of a thing at the edge, to which it adds what it reports.
    func noteFields(_ data: JSONObject, of id: BindingID) {
        let fields = ReportedFields(data)
        state.withLock { $0.known[id, default: Known()].fields = fields }
    }

    /// The thing was heard.
    func heard(_ id: BindingID, at now: Int64) {
        state.withLock { $0.add(BindingReport(id, state: nil, seen: now)) }
        port.yield()
    }

    /// Notes the data of a thing that the Flare server keeps, from which its changes are told.
    func begin(_ id: BindingID, with data: JSONObject) {
        let isNew = state.withLock { state in
            guard state.known[id]?.data == nil else { return false }
            state.known[id, default: Known()].data = data
            state.add(BindingReport(id, state: data, seen: nil))
            return true
        }
        if isNew { port.yield() }
    }

    /// The Flare server has confirmed data of a thing.
    ///
    /// - Returns: Whether it is other data than before.
    func follow(_ id: BindingID, _ data: JSONObject, at now: Int64) -> Bool {
        guard state.withLock({ $0.known[id]?.data != nil }) else {
            begin(id, with: data)
            return false
        }
        let isChange = state.withLock { state in
            guard state.known[id]?.data != data else { return false }
            state.known[id]?.data = data
            state.known[id]?.at = now
            state.add(BindingReport(id, state: data, at: now, seen: nil))
            return true
        }
        if isChange { port.yield() }
        return isChange
    }

    /// The binding is gone.
    func remove(_ id: BindingID) {
        state.withLock { state in
            state.known[id] = nil
            state.waiting[id] = nil
        }
    }

    // MARK: What is told

    /// The last state of a thing; empty before the first.
    func state(of id: BindingID) throws(AccountsError) -> JSONObject {
        let waiting = state.withLock { $0.waiting[id]?.state ?? $0.leaving[id]?.state }
        if let waiting { return waiting }
        return try store.binding(id)?.binding.state ?? [:]
    }

    // MARK: The store

    /// Stores what waits, also what comes meanwhile; what cannot be stored waits on.
    ///
    /// - Returns: `false` if something could not be stored.
    @discardableResult
    func flush() -> Bool {
        while true {
            let reports = state.withLock { state -> [BindingReport] in
                // Another thread is about it, and stores this, too.
                guard state.leaving.isEmpty else { return [] }
                swap(&state.waiting, &state.leaving)
                return Array(state.leaving.values)
            }
            guard !reports.isEmpty else { return true }
            var rest = reports[...]
            do throws(AccountsError) {
                while !rest.isEmpty {
                    try store.saveReports(Array(rest.prefix(Self.batch)))
                    rest = rest.dropFirst(Self.batch)
                }
                state.withLock { state in
                    state.leaving = [:]
                    state.pace.wrote(at: .now)
                }
            } catch {
                logger.debug("states are not stored yet", metadata: ["error": "\(error)"])
                let failed = rest
                state.withLock { state in
                    for report in failed {
                        state.waiting[report.id] =
                            state.waiting[report.id].map { report.followed(by: $0) } ?? report
                    }
                    state.leaving = [:]
                }
                port.yield()
                return false
            }
        }
    }

    /// Stores until the task is cancelled.
    func run() async {
        port.yield()
        for await _ in wakes {
            let delay = state.withLock { $0.pace.delay(at: .now) }
            guard (try? await Task.sleep(for: delay)) != nil else { break }
            if !flush() { try? await Task.sleep(for: Self.pause) }
        }
        flush()
    }
}

extension BindingReport {
    /// Both in one: what a later report leaves as it is stays.
    fileprivate func followed(by later: BindingReport) -> BindingReport {
        BindingReport(id, state: later.state ?? state, at: later.at ?? at, seen: later.seen ?? seen)
    }
}
