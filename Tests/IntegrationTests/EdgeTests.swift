import Bindings
import Bridge
import Controller
import Cryptography
import Daemon
import Foundation
import JSON
import MQTT
import Messages
import People
import TestSupport
import Testing
import Text
import Things
import Threading

/// Things that speak on a real broker: with their lines of its files, and with the example for makers.
@Suite(.enabled(if: Mosquitto.isExpected), .timeLimit(.minutes(3)))
struct EdgeTests {
    @Test func `the broker takes the line of a password, and no other password`() async throws {
        try await withSite { site in
            let error = try await site.link(as: "v-1", password: site.password(of: "v-1"))
            #expect(error == nil)
            for wrong in ["", "secret of v-2", "secret of v-1 "] {
                guard case .notAuthorised? = try await site.link(as: "v-1", password: wrong) else {
                    Issue.record("\(wrong) opens the broker")
                    continue
                }
            }
        }
    }

    @Test func `a thing speaks for itself, and for nobody else`() async throws {
        try await withSite { site in
            var legal = Set(["g edge/g/nodes"])
            for part in ["onboard", "state", "result", "status"] {
                for user in ["v-1", "v-2", "g"] { legal.insert("\(user) edge/\(user)/\(part)") }
                legal.insert("g edge/g/node/w/\(part)")
            }
            let parts = ["onboard", "state", "result", "status", "nodes", "command", "onboarded", "error"]
            let topics =
                ["v-1", "v-2", "g", "g/node/w"].flatMap { name in parts.map { "edge/\(name)/\($0)" } }
                + ["things/lamp/set", "status", "edge/v-1/node/w/state", "edge/g/node/w/nodes"]
            for user in ["v-1", "v-2", "g"] {
                for topic in topics {
                    let isTaken = try await site.takes("t/n/\(topic)", from: user)
                    #expect(isTaken == legal.contains("\(user) \(topic)"), "\(topic) from \(user)")
                }
            }
        }
    }

    @Test func `the example for makers is onboarded, loses the broker, comes back and uploads what it kept`()
        async throws
    {
        try await withSite { site in
            try await withLamp(site) { lamp in
                #expect(await eventually { site.edge.told.contains("onboard v-1 secret of v-1") })
                #expect(await eventually { site.edge.told.contains("status v-1 online") })
                #expect(
                    await eventually { site.edge.states.contains { $0.samples.first?.state["on"] == true } }
                )

                let actions = [
                    CommandAction("on", false), CommandAction("brightness", 0.25),
                    CommandAction("warp", true),
                ]
                let command = EdgeCommand("c.1", actions, deadline: Edge.now.wallMilliseconds + 60_000)
                await site.edge.bridge.send(command, to: EdgeAddress("v-1"), site.edge.delivered)
                #expect(await eventually { !site.edge.reports.isEmpty })
                let results = try #require(site.edge.reports.first).results(of: actions)
                #expect(results.map(\.isSucceeded) == [true, true, false])
                #expect(site.edge.deliveries == [true])
                #expect(
                    await eventually {
                        site.edge.states.contains {
                            $0.samples.last?.state["on"] == false
                                && $0.samples.last?.state["brightness"] == 0.25
                        }
                    }
                )

                await site.broker.kill()
                let (lost, clock) = (Edge.now.wallMilliseconds, ContinuousClock.now + .seconds(3))
                #expect(await eventually { ContinuousClock.now > clock })
                try await site.broker.start()
                // Before it was onboarded it kept states, too, so not every list is from the outage.
                @Sendable func uploaded() -> StateUpload? {
                    site.edge.states.first { $0.samples.count > 1 && $0.samples.contains { $0.at > lost } }
                }
                #expect(await eventually { uploaded() != nil })
                let kept = try #require(uploaded()).samples
                #expect(kept.map(\.at) == kept.map(\.at).sorted())

                await lamp.destroy()
                #expect(await eventually { site.edge.told.last == "status v-1 offline" })
            }
        }
    }

    // MARK: The site

    /// The daemon's side: a bridge, and what it was told.
    private final class Edge: Sendable {
        let bridge: EdgeBridge
        private let journal: Locked<Journal>

        private struct Journal {
            var told: [String] = []
            var states: [StateUpload] = []
            var reports: [CommandReport] = []
            var deliveries: [Bool] = []
        }

        static var now: Instant {
            let milliseconds = Int64(Date().timeIntervalSince1970 * 1000)
            return Instant(wallMilliseconds: milliseconds, steadyMilliseconds: milliseconds)
        }

        init(_ topics: Topics, _ client: MQTTClient) throws {
            let journal = Locked(Journal())
            self.journal = journal
            bridge = EdgeBridge(
                on: try LoopExecutor(),
                topics,
                link: EdgeLink(client),
                logger: .silent,
                clock: { Edge.now },
                EdgePorts(
                    onboard: { thing, request in
                        journal.withLock { $0.told.append("onboard \(thing.vendor) \(request.password)") }
                        return .success(
                            OnboardingAnswer(
                                BindingID(high: 1, low: 1),
                                isOwned: true,
                                token: "tlt_x",
                                endpoint: nil,
                                ignored: []
                            )
                        )
                    },
                    state: { _, upload, _ in
                        journal.withLock { $0.states.append(upload) }
                        return nil
                    },
                    result: { _, report in
                        journal.withLock { $0.reports.append(report) }
                        return nil
                    },
                    status: { thing, status in
                        journal.withLock {
                            $0.told.append("status \(thing.vendor) \(status?.rawValue ?? "")")
                        }
                        return nil
                    },
                    nodes: { _, _ in nil }
                )
            )
        }

        var told: [String] { journal.withLock { $0.told } }
        var states: [StateUpload] { journal.withLock { $0.states } }
        var reports: [CommandReport] { journal.withLock { $0.reports } }
        var deliveries: [Bool] { journal.withLock { $0.deliveries } }

        var delivered: @Sendable (Result<Void, MQTTPublishError>) -> Void {
            let journal = journal
            return { result in
                let isDelivered = (try? result.get()) != nil
                journal.withLock { $0.deliveries.append(isDelivered) }
            }
        }
    }

    private struct Site {
        let broker: Mosquitto
        let topics: Topics
        let edge: Edge

        func password(of user: String) -> String { "secret of \(user)" }

        /// Why there is no link with this password; `nil` if there is one.
        func link(as user: String, password: String) async throws -> MQTTError? {
            try await withVisitor(to: topics.root, port: broker.port, waits: false) {
                ($0.username, $0.password) = (user, Secret(password))
            } _: { visitor in
                for await event in visitor.client.links {
                    switch event {
                    case .connected: return nil
                    case .disconnected(let error): return error
                    case .refused, .drained: continue
                    }
                }
                throw Unanswered()
            }
        }

        private struct Unanswered: Error {}

        /// Whether the broker takes a message from a user; asked in version 5, where it says so.
        func takes(_ topic: String, from user: String) async throws -> Bool {
            try await withVisitor(to: topics.root, port: broker.port) {
                ($0.username, $0.password) = (user, Secret(password(of: user)))
            } _: { visitor in
                do throws(MQTTPublishError) {
                    try await visitor.client.publishAndWait(MQTTMessage(topic: topic, qos: .atLeastOnce))
                    return true
                } catch {
                    guard case .refusedByBroker(_, 0x87, _) = error else { throw error }
                    return false
                }
            }
        }
    }

    /// Runs the body with a broker that has a user for each thing, and with a bridge that hears them.
    private func withSite(_ body: (Site) async throws -> Void) async throws {
        let topics = Topics(root: "t/n")
        try await withTemporaryFolder { folder in
            let list = AccessList(topics: topics, commands: .program, discoveryPrefix: "ha")
            let things = list.thingsText([
                AccessThing("v-1"), AccessThing("v-2"), AccessThing("g", isGateway: true),
            ])
            try folder.write(list.text([.daemon]) + "\n" + things, to: "acl")
            let lines = ["v-1", "v-2", "g", "trilateral"].compactMap {
                BrokerPassword.line(user: $0, password: "secret of \($0)")
            }
            try folder.write(lines.joined(), to: "passwords")
            var options = MosquittoOptions()
            options.lines = ["password_file \(folder.path("passwords"))", "acl_file \(folder.path("acl"))"]
            try await withMosquitto(options) { broker in
                try await withVisitor(to: topics.root, port: broker.port) {
                    ($0.username, $0.password) = ("trilateral", Secret("secret of trilateral"))
                } _: { daemon in
                    let edge = try Edge(topics, daemon.client)
                    let subscription = edge.bridge.subscribe(to: daemon.client)
                    defer { subscription.cancel() }
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        group.addTask { await edge.bridge.run() }
                        defer { group.cancelAll() }
                        try await body(Site(broker: broker, topics: topics, edge: edge))
                    }
                }
            }
        }
    }

    /// Builds the example, and runs the body while it runs.
    private func withLamp(_ site: Site, _ body: (ChildProcess) async throws -> Void) async throws {
        let example = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "contrib/edge")
        try await withTemporaryFolder { folder in
            for name in ["lamp.c", "Makefile"] {
                try folder.write(String(contentsOf: example.appending(path: name), encoding: .utf8), to: name)
            }
            let make = try #require(ChildProcess.find("make"), "the make program is missing")
            try await ChildProcess.run(make, ["-C", folder.path])
            let settings = [
                "LAMP_VENDOR=v-1", "LAMP_SECRET=\(site.password(of: "v-1"))", "LAMP_BASE=\(site.topics.root)",
                "LAMP_BROKER=127.0.0.1", "LAMP_PORT=\(site.broker.port)", "LAMP_SECONDS=1",
            ]
            let lamp = try ChildProcess(
                "/usr/bin/env",
                settings + [folder.path("lamp")],
                output: folder.path("log")
            )
            do {
                try await body(lamp)
                await lamp.destroy()
            } catch {
                await lamp.destroy()
                throw error
            }
        }
    }
}
