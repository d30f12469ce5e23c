package import Flare
package import Logging

/// The Flare server's heart: all objects in memory and on disk, and who hears of what happens to them.
///
/// Everything happens in order of arrival, one thing at a time: what is to happen is reckoned, stored in one
/// transaction, made so in memory, told, and only then answered. When the database refuses, nothing has changed.
package actor FlareHub {
    private let store: FlareStore
    private let clock: @Sendable () -> Int64
    private let idSource: @Sendable () -> FlareID
    private let logger: Logger
    let limits: FlareLimits
    private(set) var world = World()
    private var rooms: Rooms
    private var receivers: [FlareClientID: @Sendable (FlareNotice) -> Void] = [:]
    private var clientCount = 0

    /// Reads all objects of the store.
    /// - Parameters:
    ///   - clock: Milliseconds since 1970-01-01 UTC.
    ///   - idSource: New identifiers for objects that come without one.
    ///   - delivery: What a client gets that hears of something in more than one way.
    package init(
        store: FlareStore,
        clock: @escaping @Sendable () -> Int64,
        idSource: @escaping @Sendable () -> FlareID = FlareHub.randomID,
        limits: FlareLimits = FlareLimits(),
        delivery: Rooms.Delivery = .perRoom,
        logger: Logger
    ) throws(FlareStoreError) {
        self.store = store
        self.clock = clock
        self.idSource = idSource
        self.limits = limits
        self.logger = logger
        rooms = Rooms(delivery: delivery)
        var loaded = World()
        try store.load { record, sequence in loaded.insert(record, sequence: sequence) }
        logger.info("Flare objects loaded", metadata: ["objects": "\(loaded.count)"])
        world = loaded
    }

    /// An identifier that nobody else has made.
    package static let randomID: @Sendable () -> FlareID = {
        FlareID(high: .random(in: .min ... .max), low: .random(in: .min ... .max))
    }

    /// A fresh identifier for an object that came without one.
    package nonisolated func makeID() -> FlareID { idSource() }

    /// The time as objects carry it.
    var now: String { FlareTime.text(wallMilliseconds: clock()) }

    /// Stores what was planned, makes it so, and tells of it.
    func carryOut(
        _ plan: Plan,
        from client: FlareClientID?,
        progress: ((Int) -> Void)? = nil
    ) throws(FlareHubError) {
        if !plan.changes.isEmpty {
            var writes: [FlareStore.Write] = []
            writes.reserveCapacity(plan.changes.count)
            for change in plan.changes { writes.append(try limits.write(for: change)) }
            do {
                try store.commit(writes, progress: progress)
            } catch {
                logger.error("Flare change not stored", metadata: ["reason": "\(error)"])
                throw .store(error)
            }
            world.apply(plan.changes)
        }
        for announcement in plan.announcements {
            for receiver in rooms.receivers(of: announcement.audience, from: client) {
                receivers[receiver]?(announcement.notice)
            }
        }
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
    /// - Returns: The object as it is now; `nil` when it is unknown.
    /// - Throws: What the change throws, or a `FlareHubError`.
    @discardableResult
    package func update(
        _ reference: ObjectReference,
        from client: FlareClientID? = nil,
        _ change: @Sendable (inout [String: JSONValue]) throws -> Void
    ) throws -> FlareRecord? {
        guard let (plan, record) = try world.planUpdate(reference, now: now, change) else { return nil }
        try carryOut(plan, from: client)
        return record
    }

    /// Removes an object; what is below it stays.
    /// - Returns: The object as it was; `nil` when it is unknown.
    @discardableResult
    package func remove(
        _ reference: ObjectReference,
        from client: FlareClientID? = nil
    ) throws(FlareHubError) -> FlareRecord? {
        guard let (plan, record) = world.planRemove(reference) else { return nil }
        try carryOut(plan, from: client)
        return record
    }
}

// MARK: - Clients

extension FlareHub {
    /// Lets a client in.
    /// - Parameters:
    ///   - isInProcess: Whether it is a part of this program, which hears of REST changes too.
    ///   - deliver: Called in order, before the cause is answered; must not block.
    package func connect(
        isInProcess: Bool = false,
        deliver: @escaping @Sendable (FlareNotice) -> Void
    ) -> FlareClientID {
        clientCount += 1
        let client = FlareClientID(number: clientCount)
        receivers[client] = deliver
        rooms.enter(client, isInProcess: isInProcess)
        return client
    }

    package func disconnect(_ client: FlareClientID) {
        receivers[client] = nil
        rooms.leave(client)
    }

    /// Lets a client hear of an object, and of everything below it.
    /// - Returns: Whether there is such an object.
    @discardableResult
    package func subscribe(_ client: FlareClientID, to object: ObjectReference, all: Bool = false) -> Bool {
        guard world[object] != nil else { return false }
        rooms.subscribe(client, to: object, all: all)
        return true
    }

    package func unsubscribe(_ client: FlareClientID, from object: ObjectReference) {
        rooms.unsubscribe(client, from: object)
    }
}

extension FlareLimits {
    fileprivate func write(for change: Plan.Change) throws(FlareHubError) -> FlareStore.Write {
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
