import Bridge
import Controller
import Databases
package import Logging
import OperatingSystem
import Sensing
import ServiceLifecycle
import Settings
import Threading
import Web

extension TrilateralDaemon {
    /// Constructs everything: storage, the Flare server, the node with its capabilities, the listeners.
    ///
    /// - Throws: If the databases in the state folder cannot be used.
    package static func build(_ plan: DaemonPlan, logger: Logger) throws -> TrilateralDaemon {
        plan.service.feedWatchdog()
        let configuration = plan.configuration
        let nodePlan = NodePlan(plan)
        plan.secrets.use(configuration, nodePlan.capabilities)
        StartReport(logger).begin(
            configuration,
            node: nodePlan.name,
            root: nodePlan.bridge.root,
            folder: plan.folder.path
        )
        let loop = try LoopExecutor()
        let (shellRequests, shellPort) = AsyncStream.makeStream(of: ShellRequest.self)
        let (storageEvents, storagePort) = AsyncStream.makeStream(of: StorageMonitor.Event.self)
        let bound = Gate()

        let backups = BackupCollection(BackupService.backups(in: plan.folder.url, configuration.backup))
        let now = RuntimeClock.now().wallMilliseconds / 1000
        let repairs =
            plan.checksDatabases ? StateRepair.run(in: plan.folder.url, backups, at: now) : []
        for repair in repairs { logger.error("\(repair)") }
        let store = try StateStore(folder: plan.folder.url)
        plan.secrets.add(try store.stations())
        let flare = try FlareBackend(
            plan,
            on: loop,
            stations: store,
            clock: RuntimeClock.now,
            onFault: { storagePort.yield(.failed("\($0)")) },
            logger: logger
        )
        let node = try Node.build(
            nodePlan,
            on: loop,
            store: store,
            flare: flare,
            clock: RuntimeClock.now,
            onStorageFault: { storagePort.yield(.failed("\($0)")) },
            mayConnect: {
                // Announce nothing until our ports are bound: another instance may own this node.
                guard configuration.flare.isServing else { return }
                await cancelWhenGracefulShutdown { await bound.wait() }
            },
            shell: { shellPort.yield($0) },
            logger: logger
        )
        let (runtime, bridge) = (node.runtime, node.bridge)
        if let alert = StateRepair.alert(of: repairs) { runtime.send(alert) }
        let storage = StorageMonitor(
            plan.folder,
            files: [store.path] + (flare.isEmbedded ? [plan.folder.flareDatabase] : []),
            events: storageEvents,
            port: storagePort,
            retry: {
                let isSaved = await node.writer.flush()
                return await flare.takesWrites() && isSaved
            },
            reopen: { shellPort.yield(.reopen) },
            send: runtime.send,
            logger: logger
        )
        var services: [any Service] = [
            DaemonService(name: "store") {
                // Stops last. After this run the next one can open the file.
                try? await gracefulShutdown()
                flare.close(logger: logger)
                do { try store.writeBackIfGone() } catch { logger.error("\(error)") }
                store.close(logger: logger)
            },
            DaemonService.untilShutdown("state folder") { await storage.run() },
            DaemonService.untilShutdown("memory") {
                guard (try? await Task.sleep(for: .seconds(20))) != nil else { return }
                ProcessMemory.giveBackStart()
                // What a place needs only while it is loaded.
                while (try? await Task.sleep(for: .seconds(20))) != nil { ProcessMemory.giveBackHeap() }
            },
        ]
        services += node.services
        let listener = flare.listener(plan, logger: logger) { url in
            await bridge.setFlareURL(url)
            await node.devices.setFlareURL(url)
            // All nodes wait for it.
            bound.open()
        }
        if let listener { services.append(listener) }
        let web = WebConfiguration(configuration)
        plan.service.begun(
            opening: Set([listener.map { _ in "flare" }, web.map { _ in "web" }].compactMap(\.self))
        )
        if plan.withdrawsAtEnd {
            // Starts last and so stops first: the others still run while the retained topics are cleared.
            services.append(
                DaemonService(name: "withdrawal") {
                    try? await gracefulShutdown()
                    async let others: Void = node.devices.leave()
                    await bridge.leave()
                    await others
                }
            )
        }
        return TrilateralDaemon(
            services: services,
            requests: shellRequests,
            requestPort: shellPort,
            read: plan.read,
            reportRead: { runtime.send(.configurationRead(problem: $0)) },
            reload: { await node.reloader.reload($0) },
            prepare: { next in
                let old = NodeAddress(await node.reloader.configuration, plan.traits)
                guard NodeAddress(next.values, plan.traits) != old else { return }
                async let others: Void = node.devices.leave()
                await bridge.leave()
                await others
            },
            setLogLevel: plan.setLogLevel,
            service: plan.service,
            logger: logger
        )
    }
}
