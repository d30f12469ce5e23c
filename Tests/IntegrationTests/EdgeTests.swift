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

/// Things that speak on a real broker, with their lines of its files.
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

    // MARK: The site

    private struct Site {
        let broker: Mosquitto
        let topics: Topics

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

    /// Runs the body with a broker that has a user for each thing.
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
                try await body(Site(broker: broker, topics: topics))
            }
        }
    }
}
