package import Flare
package import Logging
import SystemPackage
package import Threading

/// The core of the Flare server: all objects in memory and on disk, and their subscribers.
///
/// Changes are made one at a time, in order of arrival: planned, stored in one transaction, applied in memory,
/// published to the subscribers, and only then answered. When the database refuses a change, nothing has changed.
///
/// The hub runs on the given executor. Actors on the same executor may call it synchronously.
package actor FlareHub {
    package nonisolated let executor: LoopExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let store: FlareStore
    private let clock: @Sendable () -> Int64
    private let idSource: @Sendable () -> FlareID
    /// Called each time the database refuses a change.
    private let onFault: (@Sendable (FlareStoreError) -> Void)?
    /// Why the last change could not be stored.
    private var fault: FlareStoreError?
    let logger: Logger
    let limits: FlareLimits
    nonisolated let dialect: FlareDialect
    private(set) var world = ObjectGraph()
    var rooms: Rooms
    var outlets: [Int: any NoticeSink] = [:]
    var outletCount = 0
    /// Parts of this program, which have asked their own policies.
    var inProcessOutlets: Set<Int> = []
    var gates: [ClientChangeGate] = []
    private var batch: Batch?
    private var durability = DurabilityQueue()
    /// Why the disk has lost track of what was committed: until everything is written again, nothing is accepted.
    private var notDurable: FlareStoreError?
    /// Devices of which something is in doubt, and since when they are at rest.
    private var doubtful: [FlareID: ContinuousClock.Instant] = [:]
    private var settler: Task<Void, Never>?

    /// Reads all objects of the store.
    /// - Parameters:
    ///   - executor: Where the hub runs; callers on the same executor need not wait.
    ///   - clock: Milliseconds since 1970-01-01 UTC.
    ///   - idSource: New identifiers for objects that come without one.
    ///   - dialect: Whether the origin's plain bugs are kept.
    ///   - steady: How zone and nearness of devices are kept from flapping; `nil` for the origin's rule.
    ///   - onFault: Called each time the database refuses a change; `nil` logs it, once a cause.
    package init(
        on executor: LoopExecutor,
        store: FlareStore,
        clock: @escaping @Sendable () -> Int64,
        idSource: @escaping @Sendable () -> FlareID = FlareHub.randomID,
        limits: FlareLimits = FlareLimits(),
        dialect: FlareDialect = .origin,
        steady: SteadyPresence.Settings? = nil,
        onFault: (@Sendable (FlareStoreError) -> Void)? = nil,
        logger: Logger
    ) throws(FlareStoreError) {
        self.executor = executor
        self.store = store
        self.clock = clock
        self.idSource = idSource
        self.limits = limits
        self.dialect = dialect
        self.onFault = onFault
        self.logger = logger
        rooms = Rooms(delivery: dialect == .strict ? .once : .perRoom)
        var loaded = ObjectGraph(dialect: dialect, steady: steady)
        try store.load { record, sequence in loaded.insert(record, sequence: sequence) }
        logger.info("Flare objects loaded", metadata: ["objects": "\(loaded.count)"])
        world = loaded
    }

    /// An identifier that nobody else has made.
    package static let randomID: @Sendable () -> FlareID = {
        FlareID(high: .random(in: .min ... .max), low: .random(in: .min ... .max))
    }

    /// Which file on this machine holds the objects; `nil` for none.
    nonisolated var databaseID: String? { store.fileID }

    /// A fresh identifier for an object that came without one.
    package nonisolated func makeID() -> FlareID { idSource() }

    /// The time as objects carry it.
    var now: String { FlareTime.text(wallMilliseconds: clock()) }

    /// Stores what was planned, makes it so, and tells of it; in a batch, all of that at its end.
    func carryOut(
        _ plan: Transaction,
        from client: FlareClientID?,
        progress: ((Int) -> Void)? = nil
    ) throws(FlareHubError) {
        var writes: [FlareStore.Write] = []
        writes.reserveCapacity(plan.changes.count)
        for change in plan.changes { writes.append(try limits.write(for: change)) }
        if batch != nil {
            batch?.undo += world.inverse(of: plan.changes)
            world.apply(plan.changes)
            batch?.add(writes)
        } else if !writes.isEmpty {
            try commit(writes, progress: progress)
            world.apply(plan.changes)
        }
        if !plan.presences.isEmpty { note(plan.presences) }
        for announcement in plan.announcements {
            tell(announcement, to: rooms.receivers(of: announcement.audience, from: client))
        }
    }

    // MARK: Doubts

    /// How long a device may say nothing before its last position counts again; sensors say something each second.
    private static let patience = Duration.milliseconds(1500)

    private func note(_ presences: [FlareID: SteadyPresence]) {
        world.note(presences)
        for (device, presence) in presences { doubtful[device] = presence.hasCandidate ? .now : nil }
        guard settler == nil, !doubtful.isEmpty else { return }
        settler = Task { await settle() }
    }

    /// Looks again at devices that are at rest, until nothing is in doubt.
    private func settle() async {
        while let first = doubtful.values.min() {
            try? await Task.sleep(until: first + Self.patience)
            for (device, since) in doubtful where since + Self.patience <= .now {
                doubtful[device] = nil
                guard let plan = world.planLook(device, now: now) else { continue }
                // What cannot be stored was logged, and is looked at with the next position.
                try? carryOut(plan, from: nil)
            }
        }
        settler = nil
    }

    private func commit(_ writes: [FlareStore.Write], progress: ((Int) -> Void)? = nil) throws(FlareHubError)
    {
        if let notDurable {
            failed(notDurable)
            throw .store(notDurable)
        }
        do {
            try store.commit(writes, progress: progress)
        } catch {
            failed(error)
            throw .store(error)
        }
        guard let barrier = store.barrier else {
            fault = nil
            return
        }
        durability.committed()
        synchronize(barrier)
    }

    private func failed(_ error: FlareStoreError) {
        if let onFault {
            onFault(error)
        } else if error != fault {
            logger.error("Flare changes are not stored", metadata: ["reason": "\(error)"])
        }
        fault = error
    }

    // MARK: Durability

    /// Starts to bring what was committed to the disk, unless that is under way.
    private func synchronize(_ barrier: DiskBarrier) {
        guard let commit = durability.begin() else { return }
        barrier.pass { error in
            self.executor.perform { self.assumeIsolated { $0.synchronized(commit, error, barrier) } }
        }
    }

    private func synchronized(_ commit: Int, _ error: Errno?, _ barrier: DiskBarrier) {
        let failure = error.map { store.error(notOnDisk: $0) }
        if let failure {
            notDurable = failure
            failed(failure)
        } else {
            fault = nil
        }
        for deliver in durability.end(upTo: commit) { deliver(failure) }
        synchronize(barrier)
    }

    /// Waits until everything that was changed so far is as durable as the store promises.
    /// - Throws: When the disk did not take it.
    func stored() async throws(FlareHubError) {
        // The disk may have refused before this was called.
        if let notDurable { throw .notDurable(notDurable) }
        guard durability.isWaiting else { return }
        let failure = await withCheckedContinuation { continuation in
            durability.hold { continuation.resume(returning: $0) }
        }
        if let failure { throw .notDurable(failure) }
    }

    /// Calls back when everything that was changed so far is on the disk, or with why it is not.
    func whenStored(_ deliver: @escaping @Sendable (FlareStoreError?) -> Void) {
        if durability.isWaiting { durability.hold(deliver) } else { deliver(notDurable) }
    }

    /// Tests with a real write, which leaves no trace, whether the database takes changes.
    package func takesWrites() -> Bool {
        do throws(FlareStoreError) {
            try store.testWrite()
            if notDurable != nil {
                // A failed synchronization is reported once only: what it lost track of must be written elsewhere.
                try store.checkpoint()
                notDurable = nil
            }
            return true
        } catch {
            return false
        }
    }

    /// Tells clients in their order, each by its outlet.
    func tell(_ announcement: Transaction.Announcement, to clients: [FlareClientID]) {
        var rest = clients[...]
        while let outlet = rest.first?.outlet {
            let neighbours = Array(rest.prefix { $0.outlet == outlet })
            rest = rest.dropFirst(neighbours.count)
            say(outlet) { $0.tell(announcement, to: neighbours) }
        }
    }

    /// Says something now, at the end of the batch, or when what was changed before it is on the disk.
    func say(_ outlet: Int, _ words: @escaping @Sendable (any NoticeSink) -> Void) {
        if batch != nil {
            batch?.said.append((outlet, words))
        } else if durability.isWaiting {
            durability.hold { _ in self.assumeIsolated { $0.deliver(outlet, words) } }
        } else {
            deliver(outlet, words)
        }
    }

    private func deliver(_ outlet: Int, _ words: @Sendable (any NoticeSink) -> Void) {
        if let outlet = outlets[outlet] {
            words(outlet)
        }
    }
}

// MARK: - Batches

extension FlareHub {
    /// What is stored with one commit and told after it.
    private struct Batch {
        var writes: [FlareStore.Write] = []
        var undo: [Transaction.Change] = []
        var said: [(outlet: Int, words: @Sendable (any NoticeSink) -> Void)] = []
        private var places: [FlareStore.Row: Int] = [:]

        /// Of several updates of a row only the last is written.
        mutating func add(_ added: [FlareStore.Write]) {
            for write in added {
                if let place = places[write.row], case .update = write {
                    writes[place] = writes[place].overwritten(by: write)
                } else {
                    places[write.row] = writes.count
                    writes.append(write)
                }
            }
        }
    }

    /// Carries out several things with one commit: many messages cost little more than one.
    ///
    /// Nothing is told before all is stored. When the database refuses, all of it is taken back.
    /// - Returns: Whether it is stored.
    func together(_ body: (isolated FlareHub) -> Void) -> Bool {
        let before = (rooms: rooms, presences: world.presences, doubtful: doubtful)
        batch = Batch()
        body(self)
        guard let batch else { return true }
        self.batch = nil
        if !batch.writes.isEmpty {
            do {
                try commit(batch.writes)
            } catch {
                world.apply(batch.undo.reversed())
                (rooms, world.presences, doubtful) = before
                return false
            }
        }
        for (outlet, words) in batch.said { say(outlet, words) }
        return true
    }
}

// MARK: - Objects

extension FlareHub {
    package func record(_ reference: ObjectReference) -> FlareRecord? {
        world[reference]?.record
    }

    /// The objects of a class in order of creation; of one environment or zone when that is given.
    package func records(
        _ kind: FlareClass,
        environment: FlareID? = nil,
        zone: FlareID? = nil,
        where isWanted: @Sendable (FlareRecord) -> Bool = { _ in true }
    ) -> [FlareRecord] {
        world.records(kind, environment: environment, zone: zone, where: isWanted)
    }

    /// The same, each as the JSON that REST shows of it.
    func texts(
        _ kind: FlareClass,
        environment: FlareID?,
        zone: FlareID?,
        where isWanted: @Sendable (FlareRecord) -> Bool
    ) -> [[UInt8]] {
        world.texts(kind, environment: environment, zone: zone, where: isWanted)
    }

    func list(_ kind: FlareClass, environment: FlareID?, zone: FlareID?) -> ListText {
        world.list(kind, environment: environment, zone: zone)
    }

    func text(of reference: ObjectReference) -> [UInt8]? {
        world.text(of: reference)
    }

    /// Adds objects in the order given, all or none; `created` becomes now, `modified` too when it is absent.
    /// - Parameter client: Who asks; it is not told.
    @discardableResult
    package func insert(
        _ records: [FlareRecord],
        from client: FlareClientID? = nil
    ) throws(FlareHubError) -> [FlareRecord] {
        let (plan, inserted) = try world.planInsert(records, now: now, limit: limits.objects)
        try carryOut(plan, from: client)
        return inserted
    }

    /// Changes an object's members as a whole; `modified` becomes now.
    ///
    /// No position, enter or near is told of.
    /// - Parameter isAsked: Whether a client of the server asks for it, and the gates decide.
    /// - Returns: The object as it is now; `nil` when it is unknown.
    /// - Throws: What the change throws, or a `FlareHubError`.
    @discardableResult
    package func update(
        _ reference: ObjectReference,
        from client: FlareClientID? = nil,
        isAsked: Bool = false,
        _ change: @Sendable (inout [String: JSONValue]) throws -> Void
    ) throws -> FlareRecord? {
        if isAsked { try check(.update, of: reference, from: client) }
        guard let (plan, record) = try world.planUpdate(reference, now: now, change) else { return nil }
        try carryOut(plan, from: client)
        return record
    }

    /// Removes an object; what is below it stays.
    /// - Parameter isAsked: Whether a client of the server asks for it, and the gates decide.
    /// - Returns: The object as it was; `nil` when it is unknown.
    @discardableResult
    package func remove(
        _ reference: ObjectReference,
        from client: FlareClientID? = nil,
        isAsked: Bool = false
    ) throws(FlareHubError) -> FlareRecord? {
        if isAsked { try check(.remove, of: reference, from: client) }
        guard let (plan, record) = world.planRemove(reference) else { return nil }
        try carryOut(plan, from: client)
        return record
    }
}

extension FlareLimits {
    fileprivate func write(for change: Transaction.Change) throws(FlareHubError) -> FlareStore.Write {
        switch change {
        case .insert(let record, let sequence):
            .insert(record.reference, sequence: sequence, document: try document(of: record))
        case .update(let record, let sequence):
            .update(record.kind, sequence: sequence, document: try document(of: record))
        case .remove(let reference, let sequence):
            .delete(reference.kind, sequence: sequence)
        }
    }
}
