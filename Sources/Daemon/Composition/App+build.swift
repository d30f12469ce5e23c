import Bridge
import CMalloc
import Controller
import Flare
import FlareServer
import Foundation
import HTTPListener
package import Logging
import MQTT
import Positioning
import Sensing
import Sensors
import ServiceLifecycle
import Settings
import Threading
import Web

extension TrilateralDaemon {
    /// The one place where everything is constructed and joined.
    ///
    /// - Throws: When the state folder's databases cannot be used.
    package static func build(_ plan: DaemonPlan, logger: Logger) throws -> TrilateralDaemon {
        let configuration = plan.configuration
        let clock = RuntimeClock.now
        let started = clock()
        let node = NodeAddress(configuration.mqtt, plan.traits).node
        let epoch = epochText(started)

        StartReport(logger).begin(
            configuration,
            node: node,
            root: "\(configuration.mqtt.base)/\(node)",
            folder: plan.folder.path
        )

        // What was kept
        let memory = try StateStore(folder: plan.folder.url)
        let (storageEvents, storagePort) = AsyncStream.makeStream(of: StorageMonitor.Event.self)
        let place = try FlareBackend(
            plan,
            clock: clock,
            onFault: { storagePort.yield(.failed("\($0)")) },
            logger: logger
        )
        let writer = StateWriter(memory) { storagePort.yield(.failed("\($0)")) }

        // Streams between the parts
        let (events, eventPort) = AsyncStream.makeStream(of: ControllerEvent.self)
        let (flareRequests, flarePort) = AsyncStream.makeStream(of: FlareRequest.self)
        let (sensorInputs, sensorPort) = AsyncStream.makeStream(of: SensorPipeline.Input.self)
        let (timerRequests, timerPort) = AsyncStream.makeStream(of: TimerService.Request.self)
        let (mementos, memoryPort) = AsyncStream.makeStream(of: ControllerEffect.PersistedRecord.self)
        let (outputs, bridgePort) = AsyncStream.makeStream(of: MQTTBridge.Output.self)
        let (shellRequests, shellPort) = AsyncStream.makeStream(of: ShellRequest.self)
        let (lampAnswers, lampPort) = AsyncStream.makeStream(of: LampService.Answer.self)
        var readers = SnapshotReaders()
        let snapshots = readers.add()
        let send: @Sendable (ControllerEvent) -> Void = { eventPort.yield($0) }

        // Outside parties
        var remembered = try memory.memory()
        remembered.sensors.merge(configuration.sensors.switchedOff) { saved, _ in saved }
        let bluetooth =
            plan.recordings.isEmpty
            ? try BluetoothService(
                configuration.sensors,
                isOn: remembered.sensors[.beacons] ?? true,
                logger: logger
            ) : nil
        let local =
            plan.recordings.isEmpty
            ? LocalSensors(
                configuration.sensors,
                switchedOff: Set(remembered.sensors.filter { !$0.value }.keys),
                calibration: memory.calibrations(logger: logger),
                logger: logger
            ) : nil
        let sources = plan.recordings + (bluetooth.map { [$0.scanner.source] } ?? []) + (local?.sources ?? [])
        var bridgeConfiguration = BridgeConfiguration(configuration, node: node)
        bridgeConfiguration.flareURL = place.url
        let identity = BridgeIdentity(
            epoch: epoch,
            started: started,
            formerRoots: try memory.roots(),
            formerEpoch: try memory.epoch(),
            installation: try memory.installationID(),
            announced: try memory.announced()
        )
        let thread = try LoopExecutor()
        let client = MQTTClient(
            MQTTConfiguration(
                configuration.mqtt,
                node: node,
                installation: try memory.installationID(),
                root: bridgeConfiguration.root
            ),
            logger: logger,
            reading: thread.lend
        )
        let garbage = Locked(0)
        let refusedReadings = Locked(RefusedReadings())
        let lamps =
            configuration.links.isEmpty
            ? nil
            : LampService(
                configuration.links.compactMap(LampService.Pair.init),
                client: client,
                logger: logger,
                clock: clock,
                onGarbage: { garbage.withLock { $0 += 1 } },
                send: send
            )
        let lampSnapshots = lamps.map { _ in readers.add(where: LampService.isInterested) }
        let bridge = MQTTBridge(
            configuration: bridgeConfiguration,
            identity: identity,
            client: client,
            logger: logger,
            clock: clock,
            seconds: RuntimeClock.steadySeconds,
            counters: {
                var counters = bluetooth?.counters ?? [:]
                if lamps != nil { counters["lamp_messages_ignored"] = garbage.withLock { $0 } }
                counters["log_lines_dropped"] = plan.droppedLogLines()
                counters["readings_refused"] = refusedReadings.withLock { $0.count }
                return counters
            },
            remember: { memoryPort.yield($0) },
            send: { event in
                if case .brokerLinkChanged(let isUp) = event { lamps?.brokerChanged(isUp: isUp) }
                send(event)
            }
        )
        let linkReport = SensorLinkReport(send: send) { await bridge.state(link: $0, isUp: $1) }
        let desk = SensorPipeline(
            inputs: sensorInputs,
            beaconUUID: configuration.sensors.beaconsUUID?.uuidString,
            positions: PositionPipeline(
                estimator: { configuration.positioning.makeEstimator($0) },
                receivers: ReceiverOffsets(
                    sources: [RawReadings.name] + sources.map(\.name),
                    adapter: { bluetooth?.adapterAddress },
                    memory: memory,
                    logger: logger
                ),
                send: send,
                logger: logger
            ),
            headings: HeadingPipeline(
                configuration.sensors,
                sources: [RawReadings.name] + sources.map(\.name),
                send: send,
                logger: logger
            ),
            largestError: configuration.sensors.gpsErrorMetres,
            send: send,
            onSwitch: {
                if $0 == .beacons { bluetooth?.power.set(on: $1) }
                local?.set($0, on: $1)
            },
            logger: logger
        )
        let timers = TimerService(requests: timerRequests, port: timerPort, send: send)

        // The controller
        let controller = DeviceController(
            epoch: epoch,
            configuration: ControllerConfiguration(plan),
            memory: remembered
        )
        let loop = RuntimeLoop(
            controller: controller,
            events: events,
            ports: .init(
                flare: flarePort,
                sensors: sensorPort,
                timers: timerPort,
                memory: memoryPort,
                bridge: bridgePort,
                lamps: lampPort,
                shell: shellPort
            ),
            readers: readers,
            clock: clock,
            about: ProgramInfo(started: started)
        )
        for (sensor, isOn) in controller.state.sensors where !isOn {
            sensorPort.yield(.switched(sensor, on: false))
        }

        let storage = StorageMonitor(
            plan.folder,
            files: [memory.path] + (place.isEmbedded ? [plan.folder.flareDatabase] : []),
            events: storageEvents,
            port: storagePort,
            retry: {
                let isSaved = await writer.retry()
                return await place.takesWrites() && isSaved
            },
            reopen: { shellPort.yield(.reopen) },
            send: send,
            logger: logger
        )
        let (bound, isBound) = AsyncStream.makeStream(of: Void.self)
        var services: [any Service] = [
            DaemonService(name: "store") {
                // The last to stop: the file is free for the next run when this one has ended.
                try? await gracefulShutdown()
                place.close(logger: logger)
                do { try memory.writeBackIfGone() } catch { logger.error("\(error)") }
                memory.close(logger: logger)
            },
            DaemonService(name: "mqtt") {
                // Who cannot have its ports must not have been heard on the broker, where another may be at home.
                if configuration.flare.isServing {
                    await cancelWhenGracefulShutdown { for await _ in bound { break } }
                }
                if Task.isShuttingDownGracefully { return }
                await withGracefulShutdownHandler {
                    await client.run()
                } onGracefulShutdown: {
                    // Stopping waits for the broker's word, which this handler may not; run() ends with it.
                    Task { await client.stop(last: await bridge.farewell) }
                }
            },
            DaemonService(name: "bridge") {
                await withTaskExecutorPreference(thread) {
                    await bridge.run(snapshots: snapshots, outputs: outputs)
                }
            },
            DaemonService(name: "lamps") {
                guard let lamps, let lampSnapshots else { return }
                await withTaskExecutorPreference(thread) {
                    await lamps.run(snapshots: lampSnapshots, answers: lampAnswers)
                }
            },
            DaemonService(name: "memory") {
                for await memento in mementos { await writer.save(memento) }
            },
            DaemonService(name: "state folder") {
                await cancelWhenGracefulShutdown { await storage.run() }
            },
            DaemonService(name: "heap") {
                // Reading a place and telling it takes more than it comes to; what is free goes back to the system.
                await cancelWhenGracefulShutdown {
                    while (try? await Task.sleep(for: .seconds(20))) != nil { malloc_trim(0) }
                }
            },
            DaemonService(name: "timers") { await timers.run() },
            DaemonService(name: "sensors") { await desk.run() },
            DaemonService(name: "bluetooth's state") {
                await cancelWhenGracefulShutdown { await bluetooth?.run(linkReport) }
            },
            DaemonService(name: "compass's and GPS's state") {
                await cancelWhenGracefulShutdown { await local?.run(linkReport, logger: logger) }
            },
            DaemonService(name: "flare link") {
                await withTaskExecutorPreference(thread) {
                    await place.link.run(flareRequests) { eventPort.yield(.flare($0)) }
                }
            },
            DaemonService(name: "controller") {
                await withGracefulShutdownHandler {
                    await withTaskExecutorPreference(thread) { await loop.run() }
                } onGracefulShutdown: {
                    eventPort.yield(.stopBegun)
                    eventPort.finish()
                }
            },
        ]
        let listener = place.listener(plan, logger: logger) { url in
            await bridge.state(flareURL: url)
            isBound.yield()
        }
        if let listener { services.append(listener) }
        if let web = HTTPListenerConfiguration(configuration.web) {
            services.append(
                WebListener(
                    web,
                    logger: logger,
                    problems: { await bridge.problems },
                    onBound: { port in
                        StartReport(logger).webBound(host: web.host, port: port)
                        await plan.onWebBound(port)
                    }
                )
            )
        }
        services.append(
            contentsOf: sensorServices(
                sources,
                raw: RawReadings(
                    client: client,
                    root: bridgeConfiguration.root,
                    espresense: configuration.sensors.espresenseFilter,
                    logger: logger
                ) { readings in
                    let isNews = refusedReadings.withLock { last in
                        defer { last = readings }
                        return last.problem != readings.problem
                    }
                    guard isNews else { return }
                    send(
                        readings.problem.map { .alertRaised("sensor-readings", .warning, message: $0) }
                            ?? .alertCleared("sensor-readings")
                    )
                },
                port: sensorPort,
                send: send,
                logger: logger
            )
        )
        if plan.withdrawsAtEnd {
            // The last to start is the first to stop: all others still run while the broker is cleared.
            services.append(
                DaemonService(name: "withdrawal") {
                    try? await gracefulShutdown()
                    await bridge.leave()
                }
            )
        }
        return TrilateralDaemon(
            services: services,
            requests: shellRequests,
            requestPort: shellPort,
            read: plan.read,
            tell: { send(.configurationRead(problem: $0)) },
            prepare: { next in
                let old = NodeAddress(configuration.mqtt, plan.traits)
                if NodeAddress(next.values.mqtt, plan.traits) != old { await bridge.leave() }
            },
            setLogLevel: plan.setLogLevel,
            logger: logger
        )
    }

    /// Readings from the broker and from others, each source with a clock of its own.
    private static func sensorServices(
        _ others: [SensorSource],
        raw: RawReadings,
        port: AsyncStream<SensorPipeline.Input>.Continuation,
        send: @escaping @Sendable (ControllerEvent) -> Void,
        logger: Logger
    ) -> [any Service] {
        let sources = [raw.source] + others
        return sources.enumerated().map { index, source in
            let (looked, mark) = AsyncStream.makeStream(of: Void.self)
            return DaemonService(name: source.name) {
                await cancelWhenGracefulShutdown {
                    do throws(SensorError) {
                        try await source.run { readings in
                            for reading in readings { port.yield(.reading(reading, source: index)) }
                            guard case .enqueued = port.yield(.looked(mark)) else { return }
                            // However fast a recording is played, it waits until its readings were looked at.
                            for await _ in looked { break }
                        }
                    } catch {
                        logger.error(
                            "sensor source ended",
                            metadata: ["source": "\(source.name)", "error": "\(error)"]
                        )
                        // The reason is gone when a reload has built everything anew.
                        let advice = "put it right and reload the configuration (SIGHUP or request/reload)"
                        send(.alertRaised("sensors", .error, message: "\(error); \(advice)"))
                    }
                }
            }
        }
    }

    /// Sixteen hexadecimal digits: the time, so that later runs sort later, and chance.
    private static func epochText(_ now: Instant) -> String {
        let value = UInt64(clamping: now.wallMilliseconds) << 16 | UInt64(UInt16.random(in: .min ... .max))
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: max(0, 16 - digits.count)) + digits
    }
}
