import Controller
import Flare
import FlareClient
import FlareServer
import HTTPListener
import Logging
import ServiceLifecycle
import Settings
import Threading

/// Where the place is kept: in this program, or by a server on another machine.
enum FlareBackend: Sendable {
    case embedded(FlareStore, FlareHub)
    case remote(FlareClient, url: String)

    /// - Throws: When the database, or a certificate, cannot be used.
    init(
        _ plan: DaemonPlan,
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
        let store = try FlareStore(file: plan.folder.flareDatabase, options: FlareStore.Options(flare))
        let hub = try FlareHub(
            on: LoopExecutor(),
            store: store,
            clock: { clock().wallMilliseconds },
            dialect: FlareDialect(flare),
            steady: plan.configuration.steadiness,
            onFault: onFault,
            logger: logger
        )
        self = .embedded(store, hub)
    }

    var isEmbedded: Bool {
        if case .embedded = self { true } else { false }
    }

    var link: any FlareLink {
        switch self {
        case .embedded(_, let hub): EmbeddedFlareLink(hub: hub)
        case .remote(let client, _): client
        }
    }

    /// Of the remote server; nothing while the own one is not open to others.
    var url: String {
        switch self {
        case .embedded: ""
        case .remote(_, let url): url
        }
    }

    /// Tests with a real write whether the own database takes changes.
    func takesWrites() async -> Bool {
        guard case .embedded(_, let hub) = self else { return true }
        return await hub.takesWrites()
    }

    func close(logger: Logger) {
        guard case .embedded(let store, _) = self else { return }
        do {
            try store.writeBackIfGone()
            try store.close()
        } catch {
            logger.error("\(error)")
        }
    }

    /// The own server for others; `nil` when the place is kept elsewhere, or for ourselves.
    /// - Parameter onURL: Called once it listens, with the address for others.
    func listener(
        _ plan: DaemonPlan,
        logger: Logger,
        onURL: @escaping @Sendable (String) async -> Void
    ) -> FlareListener? {
        let flare = plan.configuration.flare
        guard case .embedded(_, let hub) = self, flare.isServing else { return nil }
        return FlareListener(hub: hub, HTTPListenerConfiguration(flare), logger: logger) { port in
            // Who listens everywhere is reached by the machine's name.
            let isEverywhere = flare.listen.host == "0.0.0.0" || flare.listen.host == "::"
            let host = isEverywhere ? plan.traits.hostName : flare.listen.host
            StartReport(logger).flareBound(host: host, port: port)
            await onURL("http://\(HostAndPort(host: host, port: port))")
            await plan.onFlareBound(port)
        }
    }
}
