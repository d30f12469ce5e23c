package import Accounts
import Flare
import JSON
package import Logging
import People
import Rules
import Things
import Threading

/// Keeps the rules: who makes them, what they may do, and what the engine holds.
///
/// What counts is what is stored; the engine gets each change after it was stored, in the same order.
/// - Source: contrib/contract/rules.md, "Firing", 3, 4 and 6; "Faces".
package actor RuleService {
    /// What the configuration says.
    package struct Settings: Sendable {
        /// The user who makes the rules of this machine's command line, by name.
        package var owner: String
        /// Identifies this run in the log, and in firings.
        package var epoch: String

        package init(owner: String = "owner", epoch: String) {
            (self.owner, self.epoch) = (owner, epoch)
        }
    }

    /// A rule as the service holds it.
    struct Known: Sendable {
        @Boxed var stored: RuleHeader
        /// Its references are identifiers.
        var rule: Rule
        /// What was found to stand against it; the engine finds by itself what is gone.
        var suspension: RuleSuspension?
        /// Its recipients that are not there, such as `user:alice`.
        var missing: [String] = []

        /// As the node takes it.
        ///
        /// - Parameter names: What its things and zones were called when it came in.
        func loaded(_ names: [String], last firing: StoredFiring? = nil) -> LoadedRule {
            let last = firing.flatMap { firing in
                firing.outcome.map { LoadedRule.Last(at: firing.at, why: firing.why, $0) }
            }
            let entry = RuleEntry(stored.id, rule, suspension: suspension)
            var loaded = LoadedRule(entry, slug: stored.slug, maker: stored.maker, last: last)
            (loaded.formerNames, loaded.missingRecipients) = (names, missing)
            return loaded
        }
    }

    nonisolated let settings: Settings
    nonisolated let accounts: AccountsRegistry
    nonisolated let ports: RulePorts
    nonisolated let logger: Logger
    var calendars: RuleCalendars
    /// As the engine has it.
    private(set) var calendar = RuleCalendar()
    /// By number.
    var rules: [Int: Known] = [:]
    /// The numbers of stored rules that cannot be read.
    var damaged: Set<Int> = []
    private var numbers: [String: Int] = [:]
    private var hasBegun = false
    /// Whether the stored rules could not be read, so that the engine knows neither them nor the last firing.
    private var hasFailed = false
    /// When all rights were looked at last, milliseconds since 1970 UTC.
    var judged: Int64 = 0
    /// Wakes the service when grants begin or end by themselves.
    ///
    /// Unstructured, because each look at the rights replaces it.
    private var grantTimer: Task<Void, Never>?
    /// What is kept of firings.
    private var limits = RulesConfiguration()
    /// When old firings were removed last.
    private var trimmed: Int64?

    private nonisolated let anyRules = Locked(false)
    private nonisolated let wakes: AsyncStream<Void>
    private nonisolated let wakePort: AsyncStream<Void>.Continuation

    package init(
        _ settings: Settings,
        _ accounts: AccountsRegistry,
        _ ports: RulePorts,
        calendars: RuleCalendars,
        logger: Logger
    ) {
        (self.settings, self.accounts, self.ports) = (settings, accounts, ports)
        (self.calendars, self.logger) = (calendars, logger)
        (wakes, wakePort) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    nonisolated var now: Int64 { accounts.clock() }
    /// Whether anything depends on the place.
    nonisolated var hasRules: Bool { anyRules.withLock { $0 } }

    // MARK: The rules

    /// The rule of a number or a slug.
    func known(_ name: String) -> Known? {
        let isNumber = !name.isEmpty && name.utf8.allSatisfy { (0x30...0x39).contains($0) }
        let id = isNumber ? Int(name) : numbers[name]
        return id.flatMap { rules[$0] }
    }

    /// The slugs of all rules that who asks may see, for hints.
    func slugs(seenBy requester: Requester) -> [String] {
        rules.values.filter { sees($0, requester) }.map(\.stored.slug).sorted()
    }

    func put(_ known: Known) {
        rules[known.stored.id] = known
        numbers[known.stored.slug] = known.stored.id
        anyRules.withLock { $0 = true }
    }

    func drop(_ id: Int) {
        guard let known = rules.removeValue(forKey: id) else { return }
        numbers[known.stored.slug] = nil
        let hasAny = !rules.isEmpty
        anyRules.withLock { $0 = hasAny }
    }

    /// All rules, by number.
    var all: [Known] { rules.values.sorted { $0.stored.id < $1.stored.id } }

    // MARK: The service

    /// Reads the rules, and starts the engine with them.
    ///
    /// - Throws: If they cannot be read.
    package func begin() async throws(AccountsError) {
        guard !hasBegun else { return }
        hasBegun = true
        do throws(AccountsError) {
            try await load()
        } catch {
            hasFailed = true
            throw error
        }
    }

    /// Refuses changes while the engine could not begin: numbers of firings would come again.
    func requireEngine() throws(Refusal) {
        guard hasFailed else { return }
        throw Refusal(.internalError, "the stored rules cannot be read; the log says why")
    }

    private func load() async throws(AccountsError) {
        let store = accounts.store
        let interrupted = try store.interruptFirings(notOf: settings.epoch)
        if interrupted > 0 {
            logger.notice("firings of rules were interrupted", metadata: ["firings": "\(interrupted)"])
        }
        let names = try readRules()
        identifyRecipients()
        let place = await ports.surroundings(.init())
        calendar = calendars.calendar(of: place, zoneNames)
        await judgeAll()
        let memories = try store.ruleMemories()
        var last = try store.lastFirings()
        let refused = last.values.filter { $0.outcome == .limited || $0.outcome == .loop }.map(\.rule)
        for id in refused { last[id] = nil }
        last.merge(try store.lastFirings(ofRules: refused)) { $1 }
        let load = RulesLoad(
            all.map { $0.loaded(names[$0.stored.id] ?? [], last: last[$0.stored.id]) },
            memories: memories.compactMapValues { (try? JSONValue(parsing: $0))?.object },
            calendar,
            lastFiring: try store.lastFiringNumber()
        )
        ports.engine.send(.loaded(load))
    }

    /// - Returns: What things and zones of the rules were called, by the numbers of the rules.
    private func readRules() throws(AccountsError) -> [Int: [String]] {
        let list = try accounts.store.readRules()
        for damaged in list.damaged {
            self.damaged.insert(damaged.id)
            logger.error("\(damaged)")
        }
        var names: [Int: [String]] = [:]
        for stored in list.rules {
            do throws(Refusal) {
                let rule = try stored.rule
                put(Known(stored: RuleHeader(stored), rule: rule))
                names[stored.id] = stored.names(in: rule)
            } catch {
                damaged.insert(stored.id)
                let text =
                    "the stored rule \(stored.id) (\(stored.slug)) is damaged and left out: \(error.message)"
                logger.error("\(text)")
            }
        }
        return names
    }

    /// Users, rights, profiles or the place may have changed.
    package nonisolated func wake() { wakePort.yield() }

    /// Follows what rules depend on until the task is cancelled.
    package func run() async {
        accounts.onChange { [weak self] in self?.wake() }
        wake()
        let ticks = Task { [weak self] in
            while (try? await Task.sleep(for: .seconds(60))) != nil { await self?.tick() }
        }
        defer {
            ticks.cancel()
            grantTimer?.cancel()
        }
        for await _ in wakes {
            // Changes of one moment are looked at together.
            guard (try? await Task.sleep(for: .milliseconds(200))) != nil else { return }
            await follow()
        }
    }

    /// Grants begin and end by themselves, and a device moves.
    private func tick() async {
        guard hasBegun, !rules.isEmpty else { return }
        let next = accounts.table.nextChange(after: judged)
        if next.map({ $0 <= now }) ?? false { wake() } else { await refreshCalendar() }
        awaitGrants()
        trimFirings()
    }

    /// Looks at all rights again as soon as a grant begins or ends; what is later than the next tick waits for that.
    func awaitGrants() {
        grantTimer?.cancel()
        grantTimer = nil
        guard let next = accounts.table.nextChange(after: judged), next < now + 90_000 else { return }
        let wait = max(0, next - now) + 1
        grantTimer = Task { [weak self] in
            guard (try? await Task.sleep(for: .milliseconds(wait))) != nil else { return }
            self?.wake()
        }
    }

    /// Looks at everything again that rules depend on.
    package func follow() async {
        guard hasBegun, !rules.isEmpty else { return }
        await refreshCalendar()
        let before = rules.mapValues { (suspension: $0.suspension, missing: $0.missing) }
        await judgeAll()
        for known in all {
            guard let old = before[known.stored.id] else { continue }
            if old.missing != known.missing {
                ports.engine.send(.missed(known.stored.id, recipients: known.missing))
            }
            guard old.suspension != known.suspension else { continue }
            ports.engine.send(.judged(known.stored.id, known.suspension))
        }
    }

    /// Follows other settings from now on.
    package func use(_ limits: RulesConfiguration) async {
        (self.limits, trimmed) = (limits, nil)
        calendars.configured = limits.timeZone
        guard hasBegun else { return }
        await refreshCalendar()
        trimFirings()
        wake()
    }

    private func trimFirings() {
        let now = now
        do throws(AccountsError) {
            // Until the next full look, a flood of them would fill the disk.
            try accounts.store.trimFirings(rows: limits.firingRows)
            guard trimmed.map({ now < $0 || now - $0 >= 3_600_000 }) ?? true else { return }
            trimmed = now
            let day: Int64 = 86_400_000
            let first = now - Int64(limits.firingDays) * day
            try accounts.store.trimFirings(before: first, rows: limits.firingRows)
        } catch {
            logger.warning("old firings of rules cannot be removed", metadata: ["error": "\(error)"])
        }
    }

    // MARK: The calendar

    private var zoneNames: Set<String> { rules.values.reduce(into: []) { $0.formUnion($1.rule.zoneNames) } }

    /// The calendar with the time zones of a rule, too.
    func calendar(with rule: Rule, in place: RuleSurroundings) -> RuleCalendar {
        // Those of all rules take long to collect, and are among them since the last look.
        calendar = calendars.calendar(of: place, Set(calendar.named.keys).union(rule.zoneNames))
        return calendar
    }

    private func refreshCalendar() async {
        let place = await ports.surroundings(.init())
        let new = calendars.calendar(of: place, zoneNames)
        guard new != calendar else { return }
        // A device that walks does not move the sun.
        if new.usual == calendar.usual, new.named == calendar.named, let old = calendar.place,
            let position = new.place, old.metres(to: position) < 10_000
        {
            return
        }
        calendar = new
        ports.engine.send(.calendar(new))
    }
}
