import Accounts
package import Controller
package import Flare
package import FlareClient
package import FlareServer
package import HTTPListener
package import Logging
import OperatingSystem
import ServiceLifecycle
package import Settings
package import Threading

/// The server that stores the place: embedded in this program, or remote.
package enum FlareBackend: Sendable {
    case embedded(FlareStore, FlareHub)
    case remote(FlareClient, url: String)
    /// A remote one that is found by its serial.
    case station(StationLink)

    /// - Throws: If the database or a certificate cannot be used.
    package init(
        _ plan: DaemonPlan,
        on loop: LoopExecutor,
        stations: StateStore,
        clock: @escaping @Sendable () -> Instant,
        onFault: @escaping @Sendable (FlareStoreError) -> Void,
        logger: Logger
    ) throws {
        let flare = plan.configuration.flare
        if flare.mode == .remote, let url = flare.remote.url,
            let configuration = FlareClientConfiguration(flare.remote)
        {
            self = .remote(try FlareClient(configuration, logger: logger), url: url)
            return
        }
        if flare.mode == .remote, let word = flare.remote.serial {
            let link = StationLink(
                word,
                flare.remote,
                store: stations,
                secrets: plan.secrets,
                clock: clock,
                logger: logger
            )
            self = .station(link)
            return
        }
        let store = try FlareStore(file: plan.folder.flareDatabase, options: flare.store)
        let hub = try FlareHub(
            on: loop,
            store: store,
            clock: { clock().wallMilliseconds },
            dialect: flare.dialect,
            steady: plan.configuration.steadiness,
            onStoreError: onFault,
            logger: logger
        )
        self = .embedded(store, hub)
    }

    var isEmbedded: Bool {
        if case .embedded = self { true } else { false }
    }

    /// Stores the readings that an embedded server has not stored yet, if there are any.
    ///
    /// Called on the loop.
    func storeReadings() {
        if case .embedded(_, let hub) = self { hub.onExecutor { $0.storeReadings() } }
    }

    /// Whether other daemons may have the same things now: the server is remote, or clients are connected to ours.
    ///
    /// Called on the loop.
    var isShared: Bool {
        switch self {
        case .embedded(_, let hub): hub.onExecutor { $0.hasVisitors }
        case .remote, .station: true
        }
    }

    /// Opens a node's connection.
    ///
    /// - Parameters:
    ///   - report: Called with why a server is not found by its serial, as a sentence; `nil` when it is.
    ///   - receive: Called with the server's events, in order.
    func connect(
        report: @escaping @Sendable (String?) -> Void,
        _ receive: @escaping @Sendable (FlareEvent) -> Void
    ) -> FlareConnection {
        switch self {
        case .embedded(_, let hub):
            let client = Locked<FlareClientID?>(nil)
            return FlareConnection(
                open: {
                    hub.executor.perform {
                        let opened = hub.onExecutor { $0.open(receive) }
                        client.withLock { $0 = opened }
                    }
                },
                send: { request in
                    guard let client = client.withLock({ $0 }) else { return }
                    hub.onExecutor { $0.answer(request, from: client, receive) }
                },
                close: {
                    hub.executor.perform {
                        guard let client = client.withLock({ $0 }) else { return }
                        hub.onExecutor { $0.disconnect(client) }
                    }
                },
                run: {}
            )
        case .remote(let client, _):
            let (requests, port) = AsyncStream.makeStream(of: FlareRequest.self)
            return FlareConnection(
                open: {},
                send: { port.yield($0) },
                close: { port.finish() },
                run: { await client.run(requests, emit: receive) }
            )
        case .station(let link):
            return FlareConnection(
                open: {},
                send: link.send,
                close: link.close,
                run: { await link.run(emit: receive, report: report) }
            )
        }
    }

    /// The URL of the remote server; empty for the embedded one, whose URL is known once it listens.
    var url: String {
        switch self {
        case .embedded: ""
        case .remote(_, let url): url
        case .station(let link): "station:\(link.word)"
        }
    }

    /// Answers verbs about models; `nil` if the server is remote.
    var models: ModelAPI? {
        guard case .embedded(_, let hub) = self else { return nil }
        return ModelAPI(hub)
    }

    /// Follows another configuration from now on, as far as a running server can.
    func use(
        _ configuration: TrilateralConfiguration,
        _ accounts: AccountsRegistry,
        clock: @escaping @Sendable () -> Instant
    ) async {
        guard case .embedded(_, let hub) = self else { return }
        hub.restrict(FlareAccess(configuration.flare, accounts, clock: clock))
        await hub.use(steady: configuration.steadiness)
    }

    /// For the health message.
    var counters: [String: Int] {
        if case .station(let link) = self { ["flare_address_changes": link.changes] } else { [:] }
    }

    /// Tests with a write whether the embedded server's database accepts changes.
    func takesWrites() async -> Bool {
        guard case .embedded(_, let hub) = self else { return true }
        return await hub.acceptsWrites()
    }

    package func close(logger: Logger) {
        guard case .embedded(let store, _) = self else { return }
        do {
            try store.writeBackIfGone()
            try store.close()
        } catch {
            logger.error("\(error)")
        }
    }

    /// The listener of the embedded server; `nil` if the server is remote or accepts no connections.
    ///
    /// - Parameter onURL: Called with the server's address once it listens.
    func listener(
        _ plan: DaemonPlan,
        logger: Logger,
        onURL: @escaping @Sendable (String) async -> Void
    ) -> FlareListener? {
        let flare = plan.configuration.flare
        guard case .embedded(_, let hub) = self, flare.isServing else {
            plan.sockets.close("flare")
            return nil
        }
        let socket = plan.sockets.socket(of: "flare", for: flare.listen)
        return FlareListener(hub: hub, HTTPListenerConfiguration(flare), on: socket, logger: logger) { port in
            // A server on all interfaces is reached by the host name.
            let isEverywhere = flare.listen.host == "0.0.0.0" || flare.listen.host == "::"
            let host = isEverywhere ? plan.traits.hostName : flare.listen.host
            StartReport(logger).flareBound(host: host, port: port)
            await onURL("http://\(HostAndPort(host: host, port: port))")
            plan.service.opened("flare")
            await plan.onFlareBound(port)
        }
    }
}

extension TrilateralConfiguration {
    /// The margins of the embedded server for zones and nearness; `nil` for the rule of the original server.
    package var steadiness: SteadyPresence.Settings? {
        flare.isSteady ? controller.steadiness : nil
    }
}

extension HTTPListenerConfiguration {
    package init(_ flare: TrilateralConfiguration.Platform) {
        self.init(section: "flare.server", host: flare.listen.host, port: flare.listen.port)
        allowedHosts = flare.allowedHosts
        allowedOrigins = flare.allowedOrigins
        maximumConnections = min(8192, OpenFiles.raiseLimit() * 3 / 4)
    }
}
