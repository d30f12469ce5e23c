package import Flare
import JSON
package import Logging
import SystemPackage
package import Threading

/// The core of the Flare server: all objects in memory and on disk, and their subscribers.
///
/// Changes are made one at a time, in order of arrival: planned, stored in one transaction, applied in memory,
/// announced to the subscribers, and only then answered. A change that the database refuses has no effect.
///
/// The hub runs on the given executor. Actors on the same executor may call it synchronously.
package actor FlareHub {
    package nonisolated let executor: LoopExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    let store: FlareStore
    private let clock: @Sendable () -> Int64
    /// A new identifier.
    package nonisolated let makeID: @Sendable () -> FlareID
    /// Called whenever the database refuses a change.
    private let onStoreError: (@Sendable (FlareStoreError) -> Void)?
    /// The error of the last change, if it could not be stored.
    private var lastError: FlareStoreError?
    let logger: Logger
    let limits: FlareLimits
    nonisolated let dialect: FlareDialect
    var graph = ObjectGraph()
    var rooms: Rooms
    var sinks: [Int: any NoticeSink] = [:]
    var sinkCount = 0
    var gates: [ClientChangeGate] = []
    var recorders: [ClientChangeRecord] = []
    var insertionRecorders: [ClientInsertionRecord] = []
    var modelRecorders: [ModelChangeRecord] = []
    private nonisolated let accessBox = Locked(FlareAccess.everybody)
    /// The clients over the network.
    var visitors: [FlareClientID: FlareVisitor] = [:]
    var remembered: [FlareClientID: (rights: FlareRights, until: ContinuousClock.Instant)] = [:]
    private var batch: HubBatch?
    private var durability = DurabilityQueue()
    /// A failed synchronization: changes are refused until a checkpoint succeeds.
    private(set) var notDurable: FlareStoreError?
    /// Devices whose presence is in doubt, and the time of their last position.
    private var inDoubt: [FlareID: ContinuousClock.Instant] = [:]
    private var recheck: Task<Void, Never>?
    var flush: Task<Void, Never>?
    /// For whatever is to be written as JSON.
    var buffer = JSONBuffer()

    /// Reads all objects of the store.
    /// - Parameters:
    ///   - executor: Runs the hub; callers on the same executor need not wait.
    ///   - clock: Milliseconds since 1970-01-01 UTC.
    ///   - idSource: Makes identifiers for objects that are created without one.
    ///   - dialect: Whether the bugs of the original server are reproduced.
    ///   - steady: Keeps zone and nearest thing of devices from flapping; `nil` for the original rule.
    ///   - onStoreError: Called whenever the database refuses a change; `nil` logs each new error once.
    package init(
        on executor: LoopExecutor,
        store: FlareStore,
        clock: @escaping @Sendable () -> Int64,
        idSource: @escaping @Sendable () -> FlareID = FlareHub.randomID,
        limits: FlareLimits = FlareLimits(),
        dialect: FlareDialect = .origin,
        steady: SteadyPresence.Settings? = nil,
        onStoreError: (@Sendable (FlareStoreError) -> Void)? = nil,
        logger: Logger
    ) throws(FlareStoreError) {
        self.executor = executor
        self.store = store
        self.clock = clock
        makeID = idSource
        self.limits = limits
        self.dialect = dialect
        self.onStoreError = onStoreError
        self.logger = logger
        rooms = Rooms(delivery: dialect == .strict ? .once : .perRoom)
        var loaded = ObjectGraph(dialect: dialect, steady: steady)
        try store.load { record, sequence in loaded.insert(record, sequence: sequence) }
        if loaded.count == 0 {
            logger.notice("the place is empty; import one with \"trilateral import FILE\"")
        } else {
            logger.info("the place is loaded", metadata: ["objects": "\(loaded.count)"])
        }
        graph = loaded
    }

    /// Makes random, practically unique identifiers.
    package static let randomID: @Sendable () -> FlareID = {
        FlareID(high: .random(in: .min ... .max), low: .random(in: .min ... .max))
    }

    /// Who may use it over the network.
    nonisolated var access: FlareAccess { accessBox.withLock { $0 } }

    /// From now on it is asked who the clients over the network are.
    package nonisolated func restrict(_ access: FlareAccess) { accessBox.withLock { $0 = access } }

    /// Follows another rule for zone and nearest thing from now on, and other rights.
    package func use(steady: SteadyPresence.Settings?) {
        graph.steady = steady
        accessChanged()
    }

    /// The current time in the format of `created` and `modified`.
    var now: String { FlareTime.text(wallMilliseconds: clock()) }

    /// Stores, applies and announces a transaction; within a batch, storing and announcing wait for its end.
    func commit(
        _ transaction: Transaction,
        from client: FlareClientID?,
        progress: ((Int) -> Void)? = nil
    ) throws(FlareHubError) {
        let writes = try transaction.changes.map { change throws(FlareHubError) in
            try limits.write(for: change, &buffer)
        }
        if batch != nil {
            batch?.undo += graph.inverse(of: transaction.changes)
            graph.apply(transaction.changes, areOfData: transaction.isOfData)
            batch?.add(writes, arePassing: transaction.isPassing)
        } else if !writes.isEmpty {
            if transaction.isPassing {
                keep(writes)
            } else {
                try commit { store throws(FlareStoreError) in try store.commit(writes, progress: progress) }
            }
            graph.apply(transaction.changes, areOfData: transaction.isOfData)
        }
        if !transaction.presences.isEmpty { updatePresences(transaction.presences) }
        for announcement in transaction.announcements {
            publish(announcement, to: rooms.recipients(of: announcement.audience, from: client))
        }
    }

    // MARK: Presence

    /// A device without a new position for this long is at rest: its last position counts once more.
    private static let restTime = Duration.milliseconds(1500)

    private func updatePresences(_ presences: [FlareID: SteadyPresence]) {
        graph.update(presences)
        for (device, presence) in presences { inDoubt[device] = presence.hasCandidate ? .now : nil }
        guard recheck == nil, !inDoubt.isEmpty else { return }
        recheck = Task { await recheckPresences() }
    }

    /// Checks devices at rest again until no presence is in doubt.
    private func recheckPresences() async {
        while let first = inDoubt.values.min() {
            try? await Task.sleep(until: first + Self.restTime)
            for (device, since) in inDoubt where since + Self.restTime <= .now {
                inDoubt[device] = nil
                guard let transaction = graph.planRecheck(device, now: now) else { continue }
                // A failure was logged; the next position checks again.
                try? commit(transaction, from: nil)
            }
        }
        recheck = nil
    }

    func commit(_ work: (FlareStore) throws(FlareStoreError) -> Void) throws(FlareHubError) {
        if let notDurable {
            failed(notDurable)
            throw .store(notDurable)
        }
        do {
            try work(store)
        } catch {
            failed(error)
            throw .store(error)
        }
        guard let barrier = store.barrier else {
            lastError = nil
            return
        }
        durability.committed()
        synchronize(barrier)
    }

    private func failed(_ error: FlareStoreError) {
        if let onStoreError {
            onStoreError(error)
        } else if error != lastError {
            logger.error("cannot store Flare changes", metadata: ["reason": "\(error)"])
        }
        lastError = error
    }

    // MARK: Durability

    /// Starts a synchronization of the disk, unless one is in progress.
    private func synchronize(_ barrier: DiskBarrier) {
        guard let commit = durability.begin() else { return }
        barrier.synchronize { error in
            self.executor.perform { self.onExecutor { $0.synchronized(commit, error, barrier) } }
        }
    }

    private func synchronized(_ commit: Int, _ error: Errno?, _ barrier: DiskBarrier) {
        let failure = error.map { store.syncError($0) }
        if let failure {
            notDurable = failure
            failed(failure)
        } else {
            lastError = nil
        }
        for deliver in durability.end(upTo: commit) { deliver(failure) }
        synchronize(barrier)
    }

    /// Waits until all changes so far are as durable as the store's options require.
    /// - Throws: ``FlareHubError/notDurable(_:)`` if the disk did not confirm them.
    func waitUntilDurable() async throws(FlareHubError) {
        // The synchronization may have failed before this call.
        if let notDurable { throw .notDurable(notDurable) }
        guard durability.isWaiting else { return }
        let failure = await withCheckedContinuation { continuation in
            durability.enqueue { continuation.resume(returning: $0) }
        }
        if let failure { throw .notDurable(failure) }
    }

    /// Whether changes so far are not durable yet.
    var isWaitingForDisk: Bool { durability.isWaiting }

    /// Calls back when all changes so far are durable, or with the error.
    func whenDurable(_ deliver: @escaping @Sendable (FlareStoreError?) -> Void) {
        if isWaitingForDisk { durability.enqueue(deliver) } else { deliver(notDurable) }
    }

    /// Whether the database accepts changes; tested by a write that is removed again.
    package func acceptsWrites() -> Bool {
        do throws(FlareStoreError) {
            try store.testWrite()
            if notDurable != nil {
                // Linux reports a failed fsync only once and may drop the data: the checkpoint writes it again.
                try store.checkpoint()
                notDurable = nil
            }
            try store.flush()
            return true
        } catch {
            return false
        }
    }

    /// Announces to clients in their order, through their sinks.
    func publish(_ announcement: Transaction.Announcement, to clients: [FlareClientID]) {
        var rest = clients[...]
        while let sink = rest.first?.sink {
            let neighbours = Array(rest.prefix { $0.sink == sink })
            rest = rest.dropFirst(neighbours.count)
            let readers = readers(neighbours, of: announcement.notice)
            if !readers.isEmpty { send(sink) { $0.deliver(announcement, to: readers) } }
        }
    }

    /// Delivers now, at the end of the batch, or once the changes before it are durable.
    func send(_ sink: Int, _ delivery: @escaping @Sendable (any NoticeSink) -> Void) {
        if batch != nil {
            batch?.deliveries.append((sink, delivery))
        } else if durability.isWaiting {
            durability.enqueue { _ in self.onExecutor { $0.deliver(sink, delivery) } }
        } else {
            deliver(sink, delivery)
        }
    }

    private func deliver(_ sink: Int, _ delivery: @Sendable (any NoticeSink) -> Void) {
        sinks[sink].map(delivery)
    }
}

// MARK: - Batches

extension FlareHub {
    /// Performs several changes with one commit, which costs little more than a single change.
    ///
    /// Nothing is announced before everything is stored. If the commit fails, everything is rolled back.
    /// - Returns: Whether the changes are stored.
    func inOneCommit(_ body: (isolated FlareHub) -> Void) -> Bool {
        let before = (rooms: rooms, presences: graph.presences, inDoubt: inDoubt)
        batch = HubBatch()
        body(self)
        guard let batch else { return true }
        self.batch = nil
        if !batch.writes.isEmpty {
            do {
                try commit { store throws(FlareStoreError) in try store.commit(batch.writes) }
            } catch {
                graph.apply(batch.undo.reversed())
                (rooms, graph.presences, inDoubt) = before
                return false
            }
        }
        if !batch.passing.isEmpty { keep(Array(batch.passing.values)) }
        for (sink, delivery) in batch.deliveries { send(sink, delivery) }
        return true
    }
}

// MARK: - Objects

extension FlareHub {
    package func record(_ reference: ObjectReference) -> FlareRecord? {
        graph[reference]?.record
    }

    /// The objects of a class in order of creation, optionally of one environment or zone only.
    package func records(
        _ kind: FlareClass,
        environment: FlareID? = nil,
        zone: FlareID? = nil,
        where isIncluded: @Sendable (FlareRecord) -> Bool = { _ in true }
    ) -> [FlareRecord] {
        graph.records(kind, environment: environment, zone: zone, where: isIncluded)
    }
}
