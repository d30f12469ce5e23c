import ArgumentParser
import Controller
import Daemon
import FlareServer
import Foundation
import HomeAssistant
import Logging
import MQTT
import OperatingSystem
import Sensing
import Sensors
import Settings

/// `trilateral demo`: a place, a walk, and a broker, without any configuration.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Show what Trilateral does: a flat with lamps, and somebody walking through it.",
        discussion: """
            Everything except the walk is real: a Flare server, beacon packets as a receiver would hear them, a broker. \
            If no broker answers on localhost:1883, a private one is started and ends with the demo. Ctrl-C or q ends \
            the demo and clears everything that it published, in Home Assistant too.
            """
    )

    @Option(
        name: .customLong("mqtt"),
        help: ArgumentHelp(
            "The broker to use; without it localhost:1883, or else a private one.",
            valueName: "host:port"
        ),
        transform: HostAndPort.argument
    )
    var broker: HostAndPort?

    @Option(help: "The node: the second level of the topics.")
    var node = "demo"

    @Option(folder: "The folder for the demo's databases.")
    var state: String?

    @Option(
        help: ArgumentHelp(
            "Where to serve the kiosk page; without it 127.0.0.1:18080, or else a free port.",
            valueName: "host:port"
        ),
        transform: HostAndPort.argument
    )
    var web: HostAndPort?

    @Option(
        help: ArgumentHelp(
            "Where the Flare server listens; without it 127.0.0.1:11234, or else a free port.",
            valueName: "host:port"
        ),
        transform: HostAndPort.argument
    )
    var flare: HostAndPort?

    @Flag(help: "Hear things that speak on the broker themselves, such as the example of contrib/edge.")
    var edge = false

    @Flag(
        name: .customLong("keep"),
        help:
            "Do not clear what the demo published on the broker and in Home Assistant, and let it create areas there."
    )
    var isKept = false

    func validate() throws {
        guard SlugRegistry.slug(from: node) == node else {
            throw ValidationError("--node must consist of a-z, 0-9 and hyphens (is \"\(node)\")")
        }
    }

    func run() async throws {
        try ProcessResources.check(.daemon)
        let environment = ProcessInfo.processInfo.environment
        let folder = try demoFolder(environment)
        let walk: String
        do {
            walk = try await DemoPlace.prepare(in: folder)
        } catch let error as FlareStoreError {
            throw VerbError.ending(by: error)
        }
        let (address, privateBroker) = try await findBroker(folder)
        defer { privateBroker?.stop() }
        try await run(walk: walk, broker: address, isPrivate: privateBroker != nil, folder, environment)
    }

    private func demoFolder(_ environment: [String: String]) throws -> StateFolder {
        var environment = environment
        environment["STATE_DIRECTORY"] = nil
        do throws(StateFolderError) {
            let path = state ?? StateFolder.standard(environment) + "/demo"
            return try StateFolder(named: path, environment: environment)
        } catch {
            throw VerbError("\(error)", .cannotCreate)
        }
    }

    /// The broker that was named, else the one on this machine if it takes us, else a private one.
    private func findBroker(_ folder: StateFolder) async throws -> (HostAndPort, PrivateBroker?) {
        if let broker {
            if let reason = await BrokerProbe.refusal(of: broker, within: .seconds(5)) {
                throw VerbError(
                    "\(reason); name another broker with --mqtt, or leave --mqtt out: if none answers on localhost:1883, the demo starts its own",
                    .unavailable
                )
            }
            return (broker, nil)
        }
        let standard = MQTTConfiguration()
        let usual = HostAndPort(host: standard.host, port: standard.port)
        let refusal = await BrokerProbe.refusal(of: usual, within: .seconds(3), isPatient: false)
        if refusal == nil { return (usual, nil) }
        let started = try await PrivateBroker.start(in: folder)
        return (started.address, started)
    }

    /// Where to listen: where the user says, else on the usual port, or on one that the system chooses if that is in use.
    private static func listen(
        _ named: HostAndPort?,
        usual port: Int,
        _ inUse: inout [Int]
    ) async -> HostAndPort {
        if let named { return named }
        let free = await LoopbackPort.free(port)
        if free == nil { inUse.append(port) }
        return HostAndPort(host: "127.0.0.1", port: free ?? 0)
    }

    private func run(
        walk: String,
        broker: HostAndPort,
        isPrivate: Bool,
        _ folder: StateFolder,
        _ environment: [String: String]
    ) async throws {
        let (ports, portFeed) = AsyncStream.makeStream(of: DemoScreen.Port.self)
        let (node, edge, isKept) = (node, edge, isKept)
        var inUse: [Int] = []
        let web = await Self.listen(web, usual: LoopbackPort.web, &inUse)
        let flare = await Self.listen(flare, usual: LoopbackPort.flare, &inUse)
        var runner = DaemonRunner(folder: folder, environment: environment) {
            .success(LoadedConfiguration())
        }
        runner.replays = [ReplaySettings(file: walk, isLooping: true)]
        runner.isTemporary = !isKept
        runner.reloadsOnHangup = false
        runner.adjust = { configuration in
            configuration.mqtt.host = broker.host
            configuration.mqtt.port = broker.port
            configuration.node = node
            configuration.flare.listen = flare
            configuration.web.listen = web
            configuration.controller.allowsDeviceSet = true
            configuration.map.isEnabled = true
            configuration.frames.isEnabled = true
            configuration.bindings.isEdge = edge
            // Home Assistant keeps areas for ever.
            configuration.discovery.suggestsAreas = isKept
            configuration.log.level = .warning
        }
        runner.onFlareBound = { portFeed.yield(.flare($0)) }
        runner.onWebBound = { portFeed.yield(.web($0)) }
        let screen = DemoScreen(
            broker: broker,
            isPrivate: isPrivate,
            isKept: isKept,
            root: "trilateral/\(node)",
            folder: folder.path,
            web: web,
            flare: flare,
            inUse: inUse,
            isTerminal: Terminal.output.isCapable(environment: environment)
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await screen.run(ports: ports) }
            group.addTask {
                // A taken address is tried again for ever; the walk is shown nevertheless.
                guard (try? await Task.sleep(for: .seconds(3))) != nil else { return }
                portFeed.yield(.noWeb)
            }
            group.addTask {
                await Terminal.input.readKeys { if "qQ".utf8.contains($0) { kill(getpid(), SIGINT) } }
            }
            // The daemon ends by a signal or with an error; the screen goes with it.
            defer { group.cancelAll() }
            try await runner.run(LoadedConfiguration())
        }
    }
}
