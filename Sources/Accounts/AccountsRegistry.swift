package import People
package import Text
import Threading

/// The accounts of a running daemon, in memory: it identifies callers at once, and writes uses and the log in the background.
///
/// Changes go through ``change(_:)``, which passes on the new table. May be used from any thread.
package final class AccountsRegistry: Sendable {
    /// What the configuration says.
    package struct Settings: Sendable, Hashable {
        /// The user of each interface whose callers bring nothing, by name; an interface without one has no such callers.
        package var unnamed: [Interface: String] = [:]
        /// Milliseconds from the last use.
        package var sessionLifetime: Int64 = 720 * 3_600_000
        package var log = LogLimits()
        /// Where users sign in; `nil`: where the page is served.
        package var pageAddress: String?
        /// See ``AccessTable/deviceOwners``; `nil` where the list of devices is not known.
        package var deviceOwners: [String: String]?
        /// The users of listed devices that do not count now, by node: what they gave waits for its device.
        package var hiddenOwners: [String: String] = [:]
        /// All names of users in the list of devices, also of devices that do not count now.
        package var listedUsers: Set<String> = []

        package init() {}
    }

    struct State {
        var settings: Settings
        var table: AccessTable
        var secrets: SecretIndex
        /// `nil` while the listener has no password of its own.
        var listener: ListenerPassword?
        /// When users were last identified, to be written.
        var seen: [AccountID: Int64] = [:]
        /// The last time of each user that was, or will be, written.
        var noted: [AccountID: Int64] = [:]
        var log: [CommandLogEntry] = []
        var strangers = StrangerLog()
        var refusals = RefusalCount()
        var droppedRows = 0
        var observers: [@Sendable () -> Void] = []
        /// The last change of the store that is in them.
        var number: Int64 = 0
        /// Whether what is stored could not be read after a change.
        var isStale = false
        /// The table that ``AccountsRegistry/changed`` was called with last, and whether it is being called.
        var delivered: AccessTable?
        var isDelivering = false
        /// See ``AccountsStore/foreignChanges()``.
        var foreignChanges: Int64?
    }

    /// The most rows that wait to be written; more are dropped and counted.
    private static let capacity = 10_000
    /// A user who is identified more often is recorded once in this time, milliseconds.
    private static let resolution: Int64 = 60_000
    /// How soon what could not be written is tried again.
    private static let pause = Duration.seconds(2)

    package let store: AccountsStore
    /// Of users and the listener.
    package let passwords = PasswordWorker()
    /// Of things, on a thread of its own: a thousand of them may come at once, and users sign in meanwhile.
    package let thingPasswords = PasswordWorker(capacity: 200, cost: .thing)
    /// Milliseconds since 1970, UTC.
    package let clock: @Sendable () -> Int64
    let state: Locked<State>
    private let page = Locked<String?>(nil)
    private let mask: @Sendable () -> SecretMask
    private let changed: @Sendable (AccessTable) -> Void
    /// Held while the store takes the list of devices.
    private let following = Locked<Void>(())
    /// Wakes who writes; `nil` while nobody does.
    private let writer = Locked<AsyncStream<Void>.Continuation?>(nil)

    /// - Parameters:
    ///   - store: Prepared with an owner.
    ///   - mask: What the rows of the log must not show.
    ///   - changed: Called with the new table after each change, on the thread of the change.
    package init(
        _ store: AccountsStore,
        _ settings: Settings,
        clock: @escaping @Sendable () -> Int64,
        mask: @escaping @Sendable () -> SecretMask = { .forms },
        changed: @escaping @Sendable (AccessTable) -> Void
    ) throws(AccountsError) {
        (self.store, self.clock, self.mask, self.changed) = (store, clock, mask, changed)
        try store.numberChanges()
        var state = State(
            settings: settings,
            table: AccessTable(users: [], groups: [], grants: []),
            secrets: SecretIndex(sessionLifetime: settings.sessionLifetime)
        )
        try store.use(settings)
        try store.readAll(at: clock()) { Self.apply($0, &state) }
        state.delivered = state.table
        self.state = Locked(state)
    }

    /// Where users sign in, as `http://127.0.0.1:8080`; `nil` while no page is served.
    package var pageAddress: String? { settings.pageAddress ?? page.withLock { $0 } }

    package var settings: Settings { state.withLock { $0.settings } }

    /// Follows another configuration from now on; callers are identified again.
    package func use(_ settings: Settings) {
        let isNew = state.withLock { state in
            let isNew = state.settings != settings
            state.settings = settings
            state.table.deviceOwners = settings.deviceOwners ?? [:]
            return isNew
        }
        // What cannot be read now is read again until it can.
        if isNew { try? reload() }
    }

    /// The page is served at an address.
    package func servePage(at address: String) { page.withLock { $0 = address } }

    /// Users, groups and grants as they are now.
    package var table: AccessTable { state.withLock { $0.table } }

    /// Rows of the log that could not be kept.
    package var droppedRows: Int { state.withLock { $0.droppedRows } }

    // MARK: Callers

    /// Who brings a claim; see ``Identify``.
    package func identify(_ claim: Claim) -> Caller? {
        // Who reaches the broker is the broker's to decide.
        if case .unnamed(.mqtt) = claim { return state.withLock { Self.unnamed(.mqtt, nil, $0) } }
        let now = clock()
        return state.withLock { state in
            switch claim {
            case .unnamed(let interface): return Self.unnamed(interface, .write, state)
            case .trusted(let interface): return Self.unnamed(interface, nil, state)
            case .vouched(let name):
                guard let user = state.table.user(named: name) else { return nil }
                return Self.seen(.user(user.id), now, &state)
            case .session(let text):
                return Self.caller(SecretToken(text, .session), nil, now, &state)
            case .listenerSession(let text):
                // A session of a password that is not stored may be that of a former one.
                guard state.listener?.isStored == true, let secret = SecretToken(text, .session),
                    state.secrets.use(secret, at: now)?.user == .listener
                else { return nil }
                return Self.unnamed(.kiosk, nil, state)
            case .token(let text, let name):
                return Self.caller(SecretToken(text, .token), name, now, &state)
            }
        }
    }

    /// When the session or token of a claim ends, unless it is used; `nil` for a claim that does not end by itself.
    package func end(of claim: Claim) -> Int64? {
        let secret: SecretToken? =
            switch claim {
            case .unnamed, .trusted, .vouched: nil
            case .session(let text), .listenerSession(let text): SecretToken(text, .session)
            case .token(let text, _): SecretToken(text, .token)
            }
        return secret.flatMap { secret in state.withLock { $0.secrets.end(of: secret) } }
    }

    private static func unnamed(_ interface: Interface, _ ceiling: Access?, _ state: State) -> Caller? {
        let user = state.settings.unnamed[interface].flatMap { state.table.user(named: $0) }
        return user?.state == .active ? user.map { .user($0.id, ceiling: ceiling) } : nil
    }

    private static func caller(
        _ secret: SecretToken?,
        _ name: String?,
        _ now: Int64,
        _ state: inout State
    ) -> Caller? {
        guard let secret, let caller = state.secrets.use(secret, at: now)?.caller else { return nil }
        if let name {
            guard case .user(let id, _) = caller, state.table.user(id)?.name == name else { return nil }
        }
        return seen(caller, now, &state)
    }

    /// Notes when a user spoke; who is not active is nobody.
    private static func seen(_ caller: Caller, _ now: Int64, _ state: inout State) -> Caller? {
        guard case .user(let id, _) = caller else { return caller }
        guard state.table.user(id)?.state == .active else { return nil }
        if state.noted[id].map({ now - $0 >= resolution || now < $0 }) ?? true {
            (state.noted[id], state.seen[id]) = (now, now)
        }
        return caller
    }

    // MARK: Changes

    /// Does work on the store, all of it or nothing, after which the table and the secrets are as it has left them.
    ///
    /// They are also read after a failure: what counts is what is stored.
    package func change<Success>(_ work: (AccountsStore) throws -> Success) throws(AccountsError) -> Success {
        let result: Success
        do throws(AccountsError) {
            result = try store.atomically(
                work,
                since: { state.withLock { $0.number } },
                at: clock()
            ) { reading in state.withLock { Self.apply(reading, &$0) } }
        } catch {
            if case .database = error { try? reload() }
            throw error
        }
        // What waits to be written must not stand in the way of what counts.
        try? flush()
        if state.withLock({ $0.isStale }) { try reload() } else { publish() }
        return result
    }

    /// Reads everything again: another process may have changed it.
    ///
    /// What cannot be read now is read again until it can.
    package func reload() throws(AccountsError) {
        do throws(AccountsError) {
            // One after the other, so that the last list is the newest.
            try following.withLock { _ throws(AccountsError) in try store.use(settings) }
            try store.readAll(at: clock()) { reading in state.withLock { Self.apply(reading, &$0) } }
        } catch {
            state.withLock { $0.isStale = true }
            wakeWriter()
            throw error
        }
        publish()
    }

    private static func apply(_ reading: AccountsReading, _ state: inout State) {
        state.number = reading.number
        if let table = reading.table {
            state.table = table
            state.table.deviceOwners = state.settings.deviceOwners ?? [:]
        }
        if let hashes = reading.hashes {
            state.secrets.change(hashes, to: reading.secrets)
        } else {
            state.isStale = false
            state.secrets = SecretIndex(
                reading.secrets,
                sessionLifetime: state.settings.sessionLifetime,
                replacing: state.secrets
            )
        }
    }

    private func publish() {
        deliver()
        for observer in state.withLock({ $0.observers }) { observer() }
    }

    /// Reads everything again if that failed before, or if another process has changed it.
    package func refresh() throws(AccountsError) {
        let count = try store.foreignChanges()
        let isDue = state.withLock { state in
            defer { state.foreignChanges = count }
            return state.isStale || state.foreignChanges.map { $0 != count } ?? false
        }
        if isDue { try reload() }
    }

    /// Calls ``changed`` with the newest table; with several changes at once on one thread, so that the newest is last.
    private func deliver() {
        let isFirst = state.withLock { state in
            defer { state.isDelivering = true }
            return !state.isDelivering
        }
        guard isFirst else { return }
        while let table = state.withLock({ Self.undelivered(&$0) }) { changed(table) }
    }

    private static func undelivered(_ state: inout State) -> AccessTable? {
        guard state.delivered != state.table else {
            state.isDelivering = false
            return nil
        }
        state.delivered = state.table
        return state.table
    }

    /// Calls back after each change of users, rights or secrets, on the thread of the change, as long as the registry lives.
    package func onChange(_ observer: @escaping @Sendable () -> Void) {
        state.withLock { $0.observers.append(observer) }
    }

    // MARK: What is written behind everybody's back

    /// Adds a row to the log; it is written within a second.
    ///
    /// Refusals of those whom nobody knows, and many of one user, are counted instead.
    package func log(_ entry: CommandLogEntry) {
        let isFirst = state.withLock { state in
            if Self.isOfStranger(entry, state)
                || (entry.code != nil && state.refusals.isBeyond(entry.caller, at: entry.at))
            {
                defer { state.strangers.add(entry) }
                return state.strangers.isEmpty
            }
            guard state.log.count < Self.capacity else {
                state.droppedRows += 1
                return false
            }
            state.log.append(entry)
            return state.log.count == 1
        }
        if isFirst { wakeWriter() }
    }

    /// Whether it is a refusal of somebody who brought nothing to be recognized by, or nothing that is known.
    private static func isOfStranger(_ entry: CommandLogEntry, _ state: State) -> Bool {
        guard let code = entry.code else { return false }
        if entry.isOfStranger { return true }
        // The user of callers who bring nothing counts as a stranger too, except an administrator.
        guard ["not_allowed", "unknown_thing", "unknown"].contains(code),
            let name = Interface(rawValue: entry.interface).flatMap({ state.settings.unnamed[$0] }),
            entry.caller == "user:\(name)", let user = state.table.user(named: name)
        else { return false }
        return !state.table.verdict(of: .user(user.id), .own, on: .administration, at: entry.at).isGranted
    }

    /// Writes the log, and when secrets were used and users seen.
    ///
    /// What cannot be written now stays for the next time.
    package func flush() throws(AccountsError) {
        var rows: [CommandLogEntry] = []
        let (settings, strangers, uses, seen) = state.withLock { state in
            swap(&rows, &state.log)
            defer { state.seen = [:] }
            return (state.settings, state.strangers.take(), state.secrets.takeUses(), state.seen)
        }
        guard !rows.isEmpty || !strangers.isEmpty || !uses.isEmpty || !seen.isEmpty else { return }
        let mask = mask()
        rows.mask(by: mask)
        var masked = strangers
        masked.mask(by: mask)
        do {
            try store.write { database in
                try AccountsStore.append(
                    rows,
                    strangers: masked,
                    limits: settings.log,
                    unnamed: settings.unnamed,
                    database
                )
                try AccountsStore.record(uses, database)
                try AccountsStore.recordSeen(seen, database)
            }
        } catch {
            state.withLock { state in
                state.secrets.keep(uses)
                state.strangers.restore(strangers)
                let kept = rows.suffix(max(0, Self.capacity - state.log.count))
                state.droppedRows += rows.count - kept.count
                state.log = kept + state.log
                state.seen.merge(seen) { max($0, $1) }
            }
            throw error
        }
    }

    private func wakeWriter() { writer.withLock { $0 }?.yield() }

    /// Writes until the task is cancelled; may run again after that.
    ///
    /// - Parameter report: Called with the error when something could not be written, and with `nil` when it could again.
    package func run(report: @escaping @Sendable (AccountsError?) -> Void) async {
        var hasFailed = false
        // One of its own, as it may run again: a stream whose reader was cancelled has ended.
        let (wakes, port) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        writer.withLock { $0 = port }
        let ticks = Task {
            // Uses and last times are not urgent.
            while (try? await Task.sleep(for: .seconds(60))) != nil { port.yield() }
        }
        defer { ticks.cancel() }
        port.yield()
        for await _ in wakes {
            // Rows of the same moment are one transaction; see ``log(_:)`` for how long they may wait.
            try? await Task.sleep(for: .milliseconds(700))
            do throws(AccountsError) {
                // First what counts, then what is written.
                try refresh()
                try flush()
                if hasFailed { report(nil) }
                hasFailed = false
            } catch {
                if !hasFailed { report(error) }
                hasFailed = true
                // Soon again: as long as something waits, no new row wakes us.
                if state.withLock({ !$0.isStale }) { try? await Task.sleep(for: Self.pause) }
                port.yield()
            }
        }
        try? flush()
    }
}
