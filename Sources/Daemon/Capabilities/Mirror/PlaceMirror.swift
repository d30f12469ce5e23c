package import Controller
package import Flare
package import JSON
package import Logging
import Threading

/// Keeps the place of a remote server, and shows the kept one when a start finds no server.
///
/// Changes are written together, some time after the first of them and at the end; only what has changed is written.
package actor PlaceMirror {
    /// How long a start waits for the server before it shows the kept place.
    private static let patience = Duration.seconds(2)
    /// The pause between two writes.
    private static let interval = Duration.seconds(10)

    /// What the writer is told by the loop.
    private struct News {
        var changed: Set<ObjectReference> = []
        var wasLinkUp = false
    }

    private let store: MirrorStore
    private let server: String
    private let capture: @Sendable (Set<ObjectReference>?) async -> MirrorCapture?
    private let send: @Sendable (ControllerEvent) -> Void
    private let sleep: @Sendable (Duration) async throws -> Void
    private let logger: Logger

    private nonisolated let news = Locked(News())
    /// Something is to be written; the server cannot be reached.
    private nonisolated let changes, losses: AsyncStream<Void>
    private nonisolated let changePort, lossPort: AsyncStream<Void>.Continuation

    private var hasShown = false
    /// Whether everything is to be written, because what is stored may be of another place.
    private var isWhole = true
    /// The bytes of each stored object.
    private var sizes: [ObjectReference: Int] = [:]
    private var isTooLarge = false
    private var hasFailed = false
    /// Whether the alert is open.
    private var isReported = false

    /// - Parameters:
    ///   - server: The server's address: the place of another one is not shown.
    ///   - capture: The objects of the place, or those named; `nil` while it is not known.
    ///   - send: Called with the kept place when it is to be shown.
    package init(
        _ store: MirrorStore,
        server: String,
        capture: @escaping @Sendable (Set<ObjectReference>?) async -> MirrorCapture?,
        send: @escaping @Sendable (ControllerEvent) -> Void,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        logger: Logger
    ) {
        (self.store, self.server, self.capture) = (store, server, capture)
        (self.send, self.sleep, self.logger) = (send, sleep, logger)
        (changes, changePort) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (losses, lossPort) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    // MARK: From the loop

    /// Notes what is to be written.
    package nonisolated func observe(_ snapshot: StateSnapshot) {
        var changed: Set<ObjectReference> = []
        for change in snapshot.changes {
            switch change {
            case .object(let object): changed.insert(object)
            case .device:
                if let device = snapshot.state.device { changed.insert(ObjectReference(.device, device.id)) }
            case .environment:
                if let id = snapshot.state.environmentID { changed.insert(ObjectReference(.environment, id)) }
            default: break
            }
        }
        guard !changed.isEmpty else { return }
        news.withLock { $0.changed.formUnion(changed) }
        changePort.yield()
    }

    /// Notes whether the server was reached.
    package nonisolated func receive(_ event: FlareEvent) {
        switch event {
        case .linkUp: news.withLock { $0.wasLinkUp = true }
        case .linkDown: lossPort.yield()
        case .replied, .notice: break
        }
    }

    // MARK: The service

    /// Runs until the task is cancelled, and then writes what is left.
    package func run() async {
        if let damage = store.damage {
            logger.warning("the last place was damaged, and is forgotten", metadata: ["error": "\(damage)"])
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                guard (try? await self.sleep(Self.patience)) != nil else { return }
                await self.show()
            }
            group.addTask { for await _ in self.losses { await self.show() } }
            group.addTask {
                for await _ in self.changes {
                    guard (try? await self.sleep(Self.interval)) != nil else { return }
                    await self.write()
                }
            }
        }
        await write()
        store.close()
    }

    /// - Parameter problem: Why the last place is not kept or shown; `nil` if it is.
    private func report(_ problem: String?) {
        guard isReported || problem != nil else { return }
        isReported = problem != nil
        send(.alert("mirror", .warning, problem))
    }

    private func show() {
        guard !hasShown, !news.withLock({ $0.wasLinkUp }) else { return }
        hasShown = true
        do throws(StateStoreError) {
            guard let place = try store.place(of: server) else { return }
            logger.notice("showing the last place, because the Flare server cannot be reached")
            send(.placeRemembered(place))
        } catch {
            logger.warning("the last place cannot be read", metadata: ["error": "\(error)"])
            report("The place of the last run cannot be read: \(error).")
        }
    }

    private func write() async {
        let changed = news.withLock { news in
            defer { news.changed = [] }
            return news.changed
        }
        guard !changed.isEmpty else { return }
        guard let captured = await capture(isWhole ? nil : changed) else {
            // It is not known yet, or is itself the kept one.
            isWhole = true
            return
        }
        let objects = captured.objects.map { (object: $0.object, json: $0.json?().text) }
        if isWhole { sizes = [:] }
        for (object, json) in objects { sizes[object] = json?.utf8.count }
        do throws(StateStoreError) {
            guard sizes.values.reduce(0, +) <= MirrorStore.capacity else {
                isWhole = false
                if isTooLarge { return }
                try store.clear()
                isTooLarge = true
                report("The place is not kept: it has more than \(MirrorStore.capacity >> 20) MB.")
                return logger.warning(
                    "the place is not kept: it has more than \(MirrorStore.capacity >> 20) MB",
                    metadata: ["key": "flare.remote.mirror"]
                )
            }
            if isTooLarge {
                // It fits again, and nothing of it is stored.
                (isTooLarge, isWhole) = (false, true)
                news.withLock { $0.changed.formUnion(changed) }
                return await write()
            }
            try store.write(
                objects,
                isWhole: isWhole,
                environment: captured.environment,
                server: server
            )
            (isWhole, hasFailed) = (false, false)
            report(nil)
        } catch {
            isWhole = true
            if !hasFailed {
                logger.warning("the place cannot be kept", metadata: ["error": "\(error)"])
                report("The place cannot be kept: \(error).")
            }
            hasFailed = true
        }
    }
}

/// Objects to keep, copied from the state.
package struct MirrorCapture: Sendable {
    package var environment: FlareID
    /// With a function that makes its JSON; `nil` if it is gone.
    package var objects: [(object: ObjectReference, json: (@Sendable () -> JSONValue)?)]

    /// - Parameter wanted: The objects; `nil` for all.
    package init?(_ state: ControllerState, _ wanted: Set<ObjectReference>?) {
        guard let environment = state.environmentID, state.isPlaceKnown, !state.isStale else { return nil }
        self.environment = environment
        let objects = wanted ?? Self.all(in: state)
        self.objects = objects.map { object in
            (object, state.object(object).map { found in { found.json } })
        }
    }

    private static func all(in state: ControllerState) -> Set<ObjectReference> {
        var all = Set(state.environments.keys.map { ObjectReference(.environment, $0) })
        all.formUnion(state.zones.keys.map { ObjectReference(.zone, $0) })
        all.formUnion(state.things.keys.map { ObjectReference(.thing, $0) })
        if let device = state.device { all.insert(ObjectReference(.device, device.id)) }
        return all
    }
}
