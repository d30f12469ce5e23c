import Cryptography
import Dispatch
import Glibc
package import Logging
package import NIOCore
import NIOPosix
import OperatingSystem
import Resolution
package import Threading

/// Serves a resolver's connections on one event loop.
///
/// Look-ups are read on the loop; updates that change something are written together on a queue of their own.
package actor ResolverServer {
    package nonisolated let loop: any EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

    /// For the health message.
    package nonisolated let counters = Locked(ResolverCounters())
    nonisolated let configuration: ResolverConfiguration
    private let database: ResolverDatabase
    private let clocks: Clocks
    /// Called when the database fails, and with `nil` when it works again.
    private let onDatabase: @Sendable (_ error: String?) -> Void
    private let logger: Logger

    private var limiter: PeerLimiter
    private var signatures: UpdateSignatures
    private var handlers: [ObjectIdentifier: NIOLoopBound<ResolverHandler>] = [:]
    private var channels: [any Channel] = []
    private var reportedRefusals: Set<DirectoryRefusal> = []
    private var hasDatabaseFailed = false
    /// When the file was last looked at, steady milliseconds.
    private var inspectedAt: Int64
    private var isInspecting = false
    private var inspection: Scheduled<Void>?

    private var unwritten: [Write] = []
    /// The addresses that are being written, of the serials that have not been written since.
    private var coming: [StationSerial: StationAddress] = [:]
    private var isWriting = false
    private let queue = DispatchQueue(label: "resolver")

    /// The time: steady milliseconds, and seconds since 1970.
    package struct Clocks: Sendable {
        package let steady: @Sendable () -> Int64
        package let wall: @Sendable () -> Int

        package init(steady: @escaping @Sendable () -> Int64, wall: @escaping @Sendable () -> Int) {
            (self.steady, self.wall) = (steady, wall)
        }
    }

    private struct Write: Sendable {
        let serial: StationSerial
        let address: StationAddress
        let done: @Sendable (_ isStored: Bool) -> Void
    }

    package init(
        _ configuration: ResolverConfiguration,
        database: ResolverDatabase,
        clocks: Clocks,
        onDatabase: @escaping @Sendable (_ error: String?) -> Void = { _ in },
        logger: Logger
    ) {
        loop = MultiThreadedEventLoopGroup.singleton.next()
        (self.configuration, self.database, self.clocks) = (configuration, database, clocks)
        (self.onDatabase, self.logger) = (onDatabase, logger)
        limiter = PeerLimiter(perSecond: configuration.perSecond)
        signatures = UpdateSignatures(configuration.keys)
        inspectedAt = clocks.steady()
    }

    nonisolated var now: Int64 { clocks.steady() }

    // MARK: Listening

    /// Listens on an address.
    ///
    /// - Returns: The actual port.
    /// - Throws: If the address is taken or not ours.
    package func listen(_ listener: ResolverConfiguration.Listener) async throws(ListenError) -> Int {
        do {
            return try await bind(listener)
        } catch {
            let code = (error as? IOError)?.errnoCode
            throw ListenError(
                description: code.map { systemMessage($0) } ?? "\(error)",
                isPortInUse: code == EADDRINUSE
            )
        }
    }

    /// Why an address cannot be listened on.
    package struct ListenError: Error, CustomStringConvertible {
        package let description: String
        package let isPortInUse: Bool
    }

    private func bind(_ listener: ResolverConfiguration.Listener) async throws -> Int {
        let channel = try await ServerBootstrap(group: loop)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.maxMessagesPerRead, value: 16)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { [self] channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ResolverHandler(self))
                }
            }
            .bind(host: listener.host, port: listener.port).get()
        channels.append(channel)
        return channel.localAddress?.port ?? listener.port
    }

    /// Closes everything.
    package func stop() async {
        for channel in channels { try? await channel.close() }
        channels = []
        inspection?.cancel()
        for handler in handlers.values { handler.value.close() }
    }

    // MARK: Connections

    func opened(_ handler: NIOLoopBound<ResolverHandler>, _ id: ObjectIdentifier) {
        handlers[id] = handler
        if now - inspectedAt >= Self.inspectionInterval { inspect() }
        counters.withLock { $0.connections += 1 }
        guard handlers.count > configuration.maximumConnections else { return }
        let others = handlers.lazy.filter { $0.key != id }
        guard let silent = others.min(by: { $0.value.value.silentSince < $1.value.value.silentSince }) else {
            return
        }
        record(.tooManyConnections)
        handlers[silent.key] = nil
        silent.value.value.close()
    }

    func closed(_ id: ObjectIdentifier) { handlers[id] = nil }

    /// Counts what was refused; a cause is logged once.
    func record(_ refusal: DirectoryRefusal) {
        counters.withLock { $0.refused += 1 }
        guard reportedRefusals.insert(refusal).inserted else { return }
        logger.warning("the resolver refused a peer", metadata: ["why": "\(refusal.rawValue)"])
    }

    // MARK: Calls

    /// The addresses of names.
    /// - Throws: Why the request is refused.
    func lookUp(
        _ names: [DirectoryCall.Name],
        from peer: PeerAddress?
    ) throws(DirectoryRefusal) -> [(serial: String, address: StationAddress?)] {
        guard let peer else { throw .noPeer }
        guard configuration.requestFrom.contains(where: { $0.contains(peer) }) else { throw .mayNotAsk }
        guard limiter.take(names.count, by: peer, at: now) else { throw .tooOften }
        var entries: [(serial: String, address: StationAddress?)] = []
        for name in names {
            let address = try name.serial.map { serial throws(DirectoryRefusal) in
                try self.address(of: serial)
            }
            entries.append((name.sent, address ?? nil))
        }
        let unknown = entries.count { $0.address == nil }
        counters.withLock {
            $0.names += entries.count
            $0.unknown += unknown
        }
        return entries
    }

    private func address(of serial: StationSerial) throws(DirectoryRefusal) -> StationAddress? {
        do {
            return try database.address(of: serial)
        } catch {
            report(database: "\(error)")
            throw .database
        }
    }

    /// Checks an update, and stores it if it changes something.
    ///
    /// - Parameter done: Called with the stored address after the commit, or with why it was refused.
    func update(
        _ update: DirectoryCall.Update,
        from peer: PeerAddress?,
        done: @escaping @Sendable (Result<StationAddress, DirectoryRefusal>) -> Void
    ) {
        do throws(DirectoryRefusal) {
            let address = try allowedAddress(of: update, from: peer)
            counters.withLock { $0.updates += 1 }
            // What is being written is newer than the row, and a row of a file that is gone does not count.
            if coming[update.serial] == nil, try self.address(of: update.serial) == address,
                database.isInPlace
            {
                return done(.success(address))
            }
            coming[update.serial] = address
            let loop = loop
            unwritten.append(
                Write(serial: update.serial, address: address) { isStored in
                    loop.execute { done(isStored ? .success(address) : .failure(.database)) }
                }
            )
            writeNext()
        } catch {
            done(.failure(error))
        }
    }

    private func allowedAddress(
        of update: DirectoryCall.Update,
        from peer: PeerAddress?
    ) throws(DirectoryRefusal) -> StationAddress {
        guard let peer else { throw .noPeer }
        guard limiter.take(1, by: peer, at: now) else { throw .tooOften }
        if signatures.isSigned(update.serial) {
            let refusal = signatures.refusal(of: update, now: clocks.wall()) { message, key, code in
                MessageCode(of: message, key: key).matches(code)
            }
            if let refusal { throw refusal }
        } else {
            guard configuration.updateFrom.contains(where: { $0.contains(peer) }) else { throw .mayNotUpdate }
        }
        let address = configuration.rule.address(claimed: update.claimed, peer: StationAddress(peer))
        guard let address else { throw .noAddress }
        return address
    }

    /// Writes what has been collected while the last transaction ran.
    private func writeNext() {
        guard !isWriting, !unwritten.isEmpty else { return }
        isWriting = true
        let writes = unwritten
        unwritten = []
        queue.async { [self, database, loop] in
            var (problem, changes): (String?, [ResolverDatabase.Change]) = (nil, [])
            do {
                changes = try database.storeInPlace(writes.map { ($0.serial, $0.address) })
            } catch {
                problem = "\(error)"
            }
            loop.execute { [problem, changes] in
                self.onExecutor { server in
                    for change in changes { server.found(change) }
                    server.written(writes, problem)
                }
                for write in writes { write.done(problem == nil) }
            }
        }
    }

    private func written(_ writes: [Write], _ problem: String?) {
        isWriting = false
        let later = Set(unwritten.map(\.serial))
        for write in writes where !later.contains(write.serial) { coming[write.serial] = nil }
        if problem == nil { counters.withLock { $0.changes += writes.count } }
        report(database: problem)
        writeNext()
    }

    private func report(database problem: String?) {
        guard problem != nil || hasDatabaseFailed else { return }
        if let problem, !hasDatabaseFailed {
            logger.error("the resolver's database fails", metadata: ["error": "\(problem)"])
        }
        hasDatabaseFailed = problem != nil
        onDatabase(problem)
        inspection?.cancel()
        guard problem != nil else { return }
        // No update may come that has to be written.
        inspection = loop.scheduleTask(in: .milliseconds(Self.inspectionInterval)) { [self] in
            onExecutor { $0.inspect() }
        }
    }

    private static let inspectionInterval: Int64 = 10_000

    /// Looks whether the file is still the open one, and after a failure whether the database works again.
    private func inspect() {
        guard !isInspecting else { return }
        (isInspecting, inspectedAt) = (true, now)
        queue.async { [self, database, loop, hasDatabaseFailed] in
            let result = Result {
                let change = try database.follow()
                if hasDatabaseFailed { try database.test() }
                return change
            }
            loop.execute { self.onExecutor { $0.inspected(result) } }
        }
    }

    private func inspected(_ result: Result<ResolverDatabase.Change?, any Error>) {
        isInspecting = false
        switch result {
        case .failure(let error): report(database: "\(error)")
        case .success(let change):
            if let change { found(change) }
            report(database: nil)
        }
    }

    private func found(_ change: ResolverDatabase.Change) {
        switch change {
        case .restored: logger.warning("the resolver's database was removed; it is written again")
        case .replaced: logger.warning("the resolver's database was replaced; the new file is used")
        }
    }
}
