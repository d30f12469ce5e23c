package import ArgumentParser
import Controller
import Daemon
import FlareClient
import FlareServer
import Foundation
import HTTPListener
import Logging
import OperatingSystem
import Positioning
import Sensing
import Sensors
import Settings
import Threading

/// Runs a daemon, builds it anew after a reload, and turns what ends it into an exit code.
package struct DaemonRunner: Sendable {
    let folder: StateFolder
    let environment: [String: String]
    /// Reads the configuration again, for a reload.
    let read: @Sendable () -> Result<LoadedConfiguration, ConfigurationErrors>
    /// Recordings to play beside those of the configuration.
    var replays: [ReplaySettings] = []
    /// What the command line says beside the configuration.
    var adjust: @Sendable (inout TrilateralConfiguration) -> Void = { _ in }
    /// Whether nothing is to stay behind on the broker: all is cleared at the end.
    var isTemporary = false
    /// Whether SIGHUP has the configuration read again; else it ends the daemon, as the loss of a terminal does.
    var reloadsOnHangup = true
    /// Who started the daemon as a service, if anybody did.
    var supervisor: ServiceSupervisor?
    var onFlareBound: @Sendable (Int) async -> Void = { _ in }
    var onWebBound: @Sendable (Int) async -> Void = { _ in }

    init(
        folder: StateFolder,
        environment: [String: String],
        read: @escaping @Sendable () -> Result<LoadedConfiguration, ConfigurationErrors>
    ) {
        self.folder = folder
        self.environment = environment
        self.read = read
    }

    /// What signals act on; it outlives the single daemon.
    private struct Control: Sendable {
        var port: AsyncStream<ShellRequest>.Continuation?
        /// Set by a signal, also between two daemons, when nobody would take the request.
        var isStopping = false
        /// How many signals have asked for a reload, and how many of them the last reading of the configuration answered.
        var reloads = 0
        var answeredReloads = 0
        var running: RunningConfiguration
        /// The controller's slices when the last daemon ended.
        var slices = Slices()
        /// Ports that the current daemon is still to bind.
        var unboundPorts = 0

        init(_ first: LoadedConfiguration) { running = RunningConfiguration(first) }

        mutating func begin(ports: Int) {
            unboundPorts = ports
            if ports == 0 { running.worked() }
        }

        mutating func bound() {
            unboundPorts -= 1
            if unboundPorts == 0 { running.worked() }
        }

        /// What was asked for between two daemons.
        var missed: ShellRequest? {
            isStopping ? .stop : reloads != answeredReloads ? .readConfiguration : nil
        }
    }

    /// Runs until SIGTERM or SIGINT ends it; SIGHUP has the configuration read again.
    ///
    /// - Throws: An exit code; ``ResourceError``; ``RestartRequest`` when the program shall be started again.
    func run(_ first: LoadedConfiguration) async throws {
        // One stream for the whole life of the process, and before anything is opened.
        let signals = SignalStream([SIGHUP, SIGTERM, SIGINT])
        try ProcessResources.check(.daemon)
        var first = first
        adjust(&first.values)
        let control = Locked(Control(first))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for await number in signals.numbers {
                    let isReload = number == SIGHUP && reloadsOnHangup
                    let port = control.withLock { control in
                        if isReload { control.reloads += 1 } else { control.isStopping = true }
                        return control.port
                    }
                    port?.yield(isReload ? .readConfiguration : .stop)
                }
            }
            defer { group.cancelAll() }
            try await runAll(control)
        }
    }

    private func runAll(_ control: Locked<Control>) async throws {
        var isReloaded = false
        var checksDatabases = true
        /// Why the configuration before had to be taken again.
        var problem: String?
        // One log for the whole life of the process: a second one would write into the lines of the first.
        let log = LogOutput(level: .info, form: LogFormat(.text))
        defer { log.flush() }
        let logger = log.logger("trilateral")
        let file = runningFile()
        defer { file?.remove() }
        let sockets = ListenerSockets()
        defer { sockets.closeAll() }
        let secrets = KnownSecrets { log.secrets = $0 }
        let service = ServiceReport(to: supervisor)
        while true {
            let loaded = control.withLock { $0.running.loaded }
            let configuration = loaded.values
            file?.update { daemon in
                daemon.take(loaded, node: NodeAddress(configuration, .ofThisMachine()).node)
                daemon.flare = nil
            }
            do {
                try configure(log, configuration.log)
                let daemon = try build(
                    loaded,
                    sockets: sockets,
                    secrets: secrets,
                    service: service,
                    isReloaded: isReloaded,
                    checksDatabases: checksDatabases,
                    control: control,
                    file: file,
                    log: log,
                    logger: logger
                )
                let missed = control.withLock { control in
                    control.port = daemon.requestPort
                    // The web listener's port is not counted: without it the daemon works.
                    control.begin(ports: configuration.flare.isServing ? 1 : 0)
                    return control.missed
                }
                if !configuration.flare.isServing { keep(loaded, logger) }
                if let missed { daemon.requestPort.yield(missed) }
                if let refusal = loaded.refusal { logger.error("the configuration is refused: \(refusal)") }
                if let problem = problem ?? loaded.refusal?.description { daemon.reportRead(problem) }
                problem = nil
                switch try await daemon.run() {
                case .stopped: return
                case .restart:
                    if control.withLock({ $0.isStopping }) { return }
                    logger.notice("restarting")
                    supervisor?.restoreVariables()
                    throw RestartRequest()
                case .rebuild(let next):
                    logger.notice("configuration read again; restarting with it")
                    for warning in next.allWarnings {
                        logger.warning("configuration: \(warning)")
                    }
                    control.withLock { $0.running.replace(with: next) }
                    (isReloaded, checksDatabases) = (true, false)
                case .reopen:
                    logger.notice("opening the databases again")
                    (isReloaded, checksDatabases) = (true, true)
                }
            } catch let restart as RestartRequest {
                throw restart
            } catch {
                log.print("trilateral: \(error)", as: .error)
                let goesOn = control.withLock { !$0.isStopping && $0.running.fallBack() }
                guard goesOn else { throw Self.exitCode(error) }
                logger.error("the new configuration does not work; continuing with the previous one")
                problem = "\(error)"
            }
        }
    }

    private func build(
        _ loaded: LoadedConfiguration,
        sockets: ListenerSockets,
        secrets: KnownSecrets,
        service: ServiceReport,
        isReloaded: Bool,
        checksDatabases: Bool,
        control: Locked<Control>,
        file: RunningDaemonFile?,
        log: LogOutput,
        logger: Logger
    ) throws -> TrilateralDaemon {
        var plan = DaemonPlan(
            configuration: loaded.values,
            folder: folder,
            read: { [read, adjust, folder] in
                control.withLock { $0.answeredReloads = $0.reloads }
                // What runs keeps running when there is no place for the next one.
                if let problem = folder.problem() {
                    return .failure(ConfigurationErrors([ConfigurationError(.standard, "", problem)]))
                }
                return read().flatMap { loaded in
                    var loaded = loaded
                    adjust(&loaded.values)
                    guard let file = loaded.values.log.file, let problem = LogFile.problem(of: file) else {
                        return .success(loaded)
                    }
                    let error = ConfigurationError(loaded.origin("log.file"), "log.file", problem)
                    return .failure(ConfigurationErrors([error]))
                }
            },
            setLogLevel: { if let level = Logger.Level(rawValue: $0) { log.level = level } },
            droppedLogLines: { log.dropped }
        )
        plan.recordings = { [packets = plan.packets] in try recordings($0, packets, logger) }
        (plan.files, plan.sockets, plan.secrets) = (loaded.files, sockets, secrets)
        plan.service = service
        (plan.isReloaded, plan.former) = (isReloaded, control.withLock { $0.slices })
        plan.checksDatabases = checksDatabases
        plan.onEnd = { slices in control.withLock { $0.slices = slices } }
        plan.onApplied = { loaded in
            control.withLock { $0.running.applied(loaded) }
            keep(loaded, logger)
            file?.update { $0.take(loaded, node: NodeAddress(loaded.values, .ofThisMachine()).node) }
            do { try configure(log, loaded.values.log) } catch { logger.error("\(error)") }
            for warning in loaded.allWarnings {
                logger.warning("configuration: \(warning)")
            }
        }
        plan.withdrawsAtEnd = isTemporary
        plan.onFlareBound = { [onFlareBound] port in
            control.withLock { $0.bound() }
            keep(loaded, logger)
            file?.update { $0.flare = HostAndPort(host: loaded.values.flare.listen.host, port: port) }
            await onFlareBound(port)
        }
        plan.onWebBound = onWebBound
        return try TrilateralDaemon.build(plan, logger: logger)
    }

    /// Keeps a copy of the file that works, for later versions.
    private func keep(_ loaded: LoadedConfiguration, _ logger: Logger) {
        guard let file = loaded.file, let text = loaded.text, loaded.refusal == nil else { return }
        do throws(FileWriteError) {
            try AcceptedConfiguration(in: folder.path).keep(text, of: file)
        } catch {
            logger.warning("no copy of the configuration is kept in \(folder.path): \(error)")
        }
    }

    /// The file by which verbs find this daemon; `nil` if there is no runtime folder.
    private func runningFile() -> RunningDaemonFile? {
        guard let place = DaemonLocator(environment).ownFolder else { return nil }
        let daemon = RunningDaemon(
            processID: getpid(),
            stateFolder: URL(filePath: folder.path).standardized.path(percentEncoded: false),
            owner: geteuid()
        )
        return RunningDaemonFile(in: place, daemon)
    }

    private func configure(_ log: LogOutput, _ settings: TrilateralConfiguration.Log) throws {
        log.configure(
            level: Logger.Level(settings.level),
            form: LogFormat(settings.format, environment: environment)
        )
        do throws(LogFileError) {
            try log.setFile(settings.file, level: Logger.Level(settings.fileLevel))
        } catch {
            throw ConfigurationErrors("log.file", "\(error)")
        }
    }

    private func recordings(
        _ configuration: TrilateralConfiguration,
        _ packets: PacketFeed,
        _ logger: Logger
    ) throws -> [SensorSource] {
        let ephemerals = EphemeralBeacons(configuration.beacons.ephemeralBeacons)
        let named = try replays.map { try $0.source(ephemerals, feed: packets, logger) }
        do throws(SensorError) {
            return named
                + (try configuration.sensors.replays.map { settings throws(SensorError) in
                    try settings.source(ephemerals, feed: packets, logger)
                })
        } catch {
            throw ConfigurationErrors("sensors.replay.file", "\(error)")
        }
    }

    /// What a failure means for whoever started us.
    package static func exitCode(_ error: any Error) -> ExitCode {
        switch error {
        case HTTPListenerError.unusableCertificate: .configuration
        case is HTTPListenerError: .unavailable
        case is TLSConfigurationError, is ConfigurationErrors: .configuration
        case let error as SensorError: ExitCode(error)
        case FlareStoreError.inUse: .temporary
        // BUSY, LOCKED.
        case StateStoreError.database(_, let code, _) where [5, 6].contains(code & 0xFF): .temporary
        case let error as FlareStoreError where error.isAboutContents: .dataError
        case let error as StateStoreError where error.isAboutContents: .dataError
        case is FlareStoreError, is StateStoreError: .ioError
        case is ResourceError: .systemError
        case let code as ExitCode: code
        default: .software
        }
    }
}
