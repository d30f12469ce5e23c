import Administration
import ArgumentParser
import Controller
import Daemon
import Flare
import FlareServer
import Foundation
import HTTPListener
import Logging
import OperatingSystem
import Sensing
import ServiceLifecycle
import Settings
import Threading

/// `trilateral serve`: the Flare server alone.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run only the Flare server, without a device and a broker.",
        discussion:
            "SIGTERM and SIGINT stop it. Everything else comes from the section flare of the configuration."
    )

    @Option(
        help: ArgumentHelp("Where to listen; port 0 chooses a free port.", valueName: "host:port"),
        transform: HostAndPort.argument
    )
    var listen: HostAndPort?

    @OptionGroup var state: OwnStateOption
    @OptionGroup var file: ConfigurationOption

    @Option(name: .customLong("import"), file: "A model to import at the start if the database is empty.")
    var model: String?

    @Option(name: .customLong("public"), folder: "A folder with static files to serve beside the API.")
    var publicFolder: String?

    func validate() throws {
        guard let publicFolder else { return }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: publicFolder, isDirectory: &isFolder), isFolder.boolValue
        else { throw ValidationError("--public: \"\(publicFolder)\" is not a folder") }
    }

    func run() async throws {
        let signals = SignalStream([SIGTERM, SIGINT])
        let environment = ProcessInfo.processInfo.environment
        let configuration = try file.load(isDaemon: true, environment: environment).values
        let folder = try state.folder(environment)
        let log = LogOutput(
            level: Logger.Level(configuration.log.level),
            form: LogFormat(configuration.log.format, environment: environment)
        )
        defer { log.flush() }
        let logger = log.logger("trilateral")
        do {
            try ProcessResources.check(.daemon)
            var listener = HTTPListenerConfiguration(configuration.flare)
            if let listen {
                listener.host = listen.host
                listener.port = listen.port
                listener.setting = "--listen"
            }
            let store = try FlareStore(
                file: folder.flareDatabase,
                options: configuration.flare.store
            )
            defer { do { try store.close() } catch { logger.error("\(error)") } }
            // What cannot listen imports nothing.
            let socket = ListeningSocket()
            defer { socket.close() }
            try socket.bind(listener)
            let hub = try FlareHub(
                on: LoopExecutor(),
                store: store,
                clock: { RuntimeClock.now().wallMilliseconds },
                dialect: configuration.flare.dialect,
                steady: configuration.steadiness,
                logger: logger
            )
            if let model, await hub.records(.environment).isEmpty {
                let file = ModelFile(path: model)
                try await file.importInto(.database(hub), file.read(), .refuse, environment)
            }
            let host = listener.host
            let server = FlareListener(
                hub: hub,
                listener,
                on: socket,
                publicFolder: publicFolder,
                logger: logger
            ) { port in
                log.print(
                    "trilateral serve: Flare server: http://\(HostAndPort(host: host, port: port))/environments",
                    as: .notice
                )
            }
            let models = ModelAPI(hub)
            let administration = LocalSocketService(
                path: folder.url.appending(path: AdministrationSocket.nameOfServer).path(
                    percentEncoded: false
                ),
                bodyLimits: ModelAPI.bodyLimits,
                logger: logger
            ) { await models.answer($0) ?? LocalResponse(404) }
            let group = ServiceGroup(
                configuration: .init(
                    services: [
                        .init(
                            service: ModelService(socket: administration, logger: logger),
                            successTerminationBehavior: .ignore,
                            serviceName: "import and export"
                        ),
                        .init(
                            service: server,
                            failureTerminationBehavior: .gracefullyShutdownGroup,
                            serviceName: "Flare server"
                        ),
                    ],
                    logger: logger
                )
            )
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask {
                    await signals.first()
                    await group.triggerGracefulShutdown()
                }
                defer { tasks.cancelAll() }
                try await group.run()
            }
        } catch  where error is ExitCode || error is VerbError {
            throw error
        } catch {
            log.print("trilateral serve: \(error)", as: .error)
            throw DaemonRunner.exitCode(error)
        }
    }
}

/// Import and export of other commands; the Flare server runs without it, too.
private struct ModelService: Service {
    let socket: LocalSocketService
    let logger: Logger

    func run() async throws {
        do {
            try await socket.run()
        } catch {
            logger.error("import and export do not work while this runs: \(error)")
        }
    }
}
